"""A hub id → the `config.json` of that repository, through huggingface-hub.

It knows nothing about configurations; weights are never fetched.
"""

from __future__ import annotations

import logging

from ferrum_cli.describe import config_json
from ferrum_cli.describe.description import Description
from ferrum_cli.describe.regular_file import read_bytes
from ferrum_cli.errors import EnvironmentFailure, MissingExtra


def read_hub(hub_id: str) -> Description:
    """Fetch and read a repository's configuration.

    Raises MissingExtra without huggingface-hub, EnvironmentFailure where the hub cannot be reached
    or holds no such file.
    """
    try:
        from huggingface_hub import hf_hub_download  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise MissingExtra("hub", f"reading {hub_id!r} from the hub") from None
    # The library tells of every retry on stderr; the error below says all there is to say.
    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    repository = hub_id.partition(":")[0]  # llama.cpp names a file's quantization after it
    try:
        path = hf_hub_download(repository, "config.json")
    except Exception as error:  # noqa: BLE001 - the library raises its own, requests' and OS errors
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise EnvironmentFailure(
            f"cannot fetch config.json: {first}",
            hint="check the name and the network, or give a local file",
            where=hub_id,
        ) from None
    content = read_bytes(path, config_json.MAX_BYTES)
    return config_json.parse(content, hub_id, hub_id.rpartition("/")[2])
