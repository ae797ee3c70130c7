"""Accelerators: every data file reads, and people find theirs by the names they have."""

from __future__ import annotations

import re

import pytest

from ferrum_cli.errors import UsageError
from ferrum_cli.hardware import accelerator, accelerator_names, load
from ferrum_cli.hardware.catalogue import _words

GIB = 2**30


@pytest.mark.parametrize("identifier", accelerator_names())
def test_every_accelerator_reads_and_is_found_by_each_of_its_spellings(identifier: str) -> None:
    device = load(identifier)
    assert device.vendor in {"nvidia", "amd", "intel", "apple"}
    assert (device.compute_capability is not None) == (device.vendor == "nvidia")
    assert (device.architecture or "").startswith("gfx") == (device.vendor == "amd")
    for spelling in device.spellings:
        assert accelerator(spelling) is device, spelling


def test_no_spelling_belongs_to_two_accelerators() -> None:
    owners: dict[str, str] = {}
    for identifier in accelerator_names():
        for spelling in load(identifier).spellings:
            assert owners.setdefault("".join(_words(spelling)), identifier) == identifier, spelling


@pytest.mark.parametrize("identifier", accelerator_names())
def test_memory_is_between_a_tenth_below_and_the_binary_reading_of_what_is_sold(
    identifier: str,
) -> None:
    device = load(identifier)
    if device.memory_bytes and device.memory_marketing_gb:
        # Vendors sell GB or GiB; drivers keep a part. The id carries what is sold.
        assert 0.9 * device.memory_marketing_gb * 10**9 <= device.memory_bytes
        assert device.memory_bytes <= device.memory_marketing_gb * GIB
        assert re.search(r"\d+gb", identifier)


# Names as drivers print them, as clusters label their nodes, and as people say them.
@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("H100", "h100-80gb-sxm"),
        ("NVIDIA H100 80GB HBM3", "h100-80gb-sxm"),
        ("NVIDIA-H100-80GB-HBM3", "h100-80gb-sxm"),
        ("nvidia-h100-80gb", "h100-80gb-sxm"),
        ("H100-SXM5-80GB", "h100-80gb-sxm"),
        ("NVIDIA H100 PCIe", "h100-80gb-pcie"),
        ("NVIDIA H100 NVL", "h100-94gb-nvl"),
        ("NVIDIA H200", "h200-141gb-sxm"),
        ("NVIDIA B200", "b200-180gb-sxm"),
        ("GB200", "gb200-186gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb-sxm"),
        ("a100 40gb", "a100-40gb-sxm"),
        ("A100-PCIE-40GB", "a100-40gb-sxm"),
        ("NVIDIA A10G", "a10-24gb"),
        ("nvidia-tesla-t4", "t4-16gb"),
        ("Tesla V100-SXM2-16GB", "v100-16gb-sxm"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090-24gb"),
        ("rtx4090", "rtx-4090-24gb"),
        ("5090", "rtx-5090-32gb"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-96gb"),
        ("DGX Spark", "gb10-128gb"),
        ("Orin", "jetson-agx-orin-64gb"),
        ("AMD Instinct MI300X", "mi300x-192gb"),
        ("AMD_Instinct_MI300X_OAM", "mi300x-192gb"),
        ("7900 XTX", "rx-7900-xtx-24gb"),
    ],
)
def test_a_name_as_people_and_drivers_write_it_finds_its_accelerator(
    name: str, identifier: str
) -> None:
    assert accelerator(name).id == identifier


# Log lines of public reports; gpus.md, fact 1 and the column of totals.
@pytest.mark.parametrize(
    ("name", "gib", "capability"),
    [
        ("h100", 79.19, (9, 0)),
        ("h200", 139.8, (9, 0)),
        ("b200", 178.36, (10, 0)),
        ("a100", 79.25, (8, 0)),
        ("l4", 22.03, (8, 9)),
        ("rtx-5090", 31.36, (12, 0)),
        ("gb10", 121.63, (12, 1)),
        ("jetson-thor", 122.8, (11, 0)),
        ("mi300x", 191.98, None),
    ],
)
def test_memory_is_what_the_driver_reports(
    name: str, gib: float, capability: tuple[int, int] | None
) -> None:
    device = accelerator(name)
    assert device.memory_bytes is not None
    assert round(device.memory_bytes / GIB, 2) == gib
    assert device.compute_capability == capability


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("h10", "did you mean 'h100-80gb-sxm'?"),
        ("L40", "did you mean 'l40s-48gb'?"),
        ("rtx 4900", "did you mean"),
        ("abacus", "'ferrum gpus' lists them"),
        ("", "give --memory"),
        ("NVIDIA", "give --memory"),
    ],
)
def test_an_unknown_name_is_refused_with_what_may_have_been_meant(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        accelerator(name)
    assert hint in (caught.value.hint or "")
    assert str(caught.value).startswith("--gpu: unknown accelerator")


def test_a_name_of_several_accelerators_is_refused_with_all_of_them() -> None:
    with pytest.raises(UsageError, match="names several") as caught:
        accelerator("jetson")
    assert "jetson-thor-128gb" in (caught.value.hint or "")
