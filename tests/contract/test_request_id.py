"""Identities of requests."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrum_cli.contract import RequestId
from ferrum_cli.errors import ContractError

CANONICAL = "67e55044-10b1-426f-9247-bb680e5fe0c8"
SIMPLE = "67e5504410b1426f9247bb680e5fe0c8"

# Spellings that `Uuid::parse_str` of Rust's uuid 1.23.1 takes (its src/parser.rs, try_parse).
ACCEPTED = [
    (CANONICAL, CANONICAL),
    (CANONICAL.upper(), CANONICAL),
    ("67E55044-10b1-426F-9247-bb680e5fe0c8", CANONICAL),
    (SIMPLE, CANONICAL),
    (SIMPLE.upper(), CANONICAL),
    (f"urn:uuid:{CANONICAL}", CANONICAL),
    (f"urn:uuid:{CANONICAL.upper()}", CANONICAL),
    (f"{{{CANONICAL}}}", CANONICAL),
    ("0" * 32, "00000000-0000-0000-0000-000000000000"),
    ("f" * 32, "ffffffff-ffff-ffff-ffff-ffffffffffff"),
]
# Spellings that it refuses, though Python's uuid.UUID takes several of them.
REFUSED = [
    "",
    "request-1",
    SIMPLE[:-1],
    SIMPLE + "0",
    CANONICAL[:-1],
    CANONICAL + "0",
    f"{{{SIMPLE}}}",
    f"urn:uuid:{SIMPLE}",
    f"URN:UUID:{CANONICAL}",
    f"uuid:{CANONICAL}",
    f"{{{CANONICAL}",
    f"{CANONICAL}}}",
    f"urn:uuid:{{{CANONICAL}}}",
    "67e5-504410b1-426f-9247-bb680e5fe0c8",
    "67e5504-410b1-426f-9247-bb680e5fe0c8",
    CANONICAL.replace("-", "_"),
    f" {CANONICAL}",
    f"{CANONICAL}\n",
    CANONICAL.replace("6", "g"),
    CANONICAL.replace("6", "\uff16"),
    CANONICAL.replace("6", "\u0666"),
]


@pytest.mark.parametrize(("text", "canonical"), ACCEPTED)
def test_every_spelling_of_rust_is_read_and_shown_in_lower_case_with_hyphens(
    text: str, canonical: str
) -> None:
    assert str(RequestId(text)) == canonical
    assert RequestId(text).to_json() == canonical
    assert RequestId.from_json(text) == RequestId(canonical)


@pytest.mark.parametrize("text", REFUSED)
def test_text_that_rust_refuses_is_refused(text: str) -> None:
    with pytest.raises(ContractError, match="expected a UUID") as caught:
        RequestId(text)
    assert CANONICAL in str(caught.value.hint)


@pytest.mark.parametrize("bad", [None, 0, True, UUID(CANONICAL), [CANONICAL], b"0" * 32])
def test_only_text_is_an_identity(bad: object) -> None:
    with pytest.raises(ContractError, match=r"^request_id: expected a string"):
        RequestId.from_json(bad, "request_id")
    with pytest.raises(ContractError, match="expected a string"):
        RequestId(bad)


def test_a_long_text_is_refused_in_a_short_message() -> None:
    with pytest.raises(ContractError) as caught:
        RequestId("0" * 1_000_000)
    assert len(str(caught.value)) < 200


def test_spellings_of_one_uuid_are_one_key() -> None:
    assert len({RequestId(text) for text, canonical in ACCEPTED if canonical == CANONICAL}) == 1


def test_new_identities_are_random_uuids_of_version_4() -> None:
    made = {RequestId.new() for _ in range(100)}
    assert len(made) == 100
    pattern = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert all(re.fullmatch(pattern, str(i)) for i in made)


@given(st.uuids(allow_nil=True))
def test_every_uuid_survives_json_and_every_spelling(value: UUID) -> None:
    spellings = [str(value), value.hex, value.urn, f"{{{value}}}"]
    assert {str(RequestId(spelling)) for spelling in spellings} == {str(value)}
    assert RequestId.from_json(RequestId(value.hex).to_json()) == RequestId(str(value))


@given(st.text())
def test_text_is_an_identity_or_a_contract_error(text: str) -> None:
    try:
        accepted = str(RequestId(text))
    except ContractError:
        return
    assert UUID(text) == UUID(accepted)
