"""Nemotron Omni, Nano-VL and Transcribe: a Nemotron-H with towers for images, video or speech.

transformers 5.24.0, models/nemotron_h_omni/ and models/nemotron3_5_transcribe/; `llm_config` is
what checkpoints called `text_config` before. The towers are not counted. It knows nothing about
engines.
"""

from __future__ import annotations

from ferrum_cli.describe.description import Description
from ferrum_cli.describe.huggingface import Identity
from ferrum_cli.describe.huggingface._fields import Fields
from ferrum_cli.describe.huggingface._wrapper import with_vision, wrapped

_OMNI = (
    "NemotronH_Omni_Reasoning_V3",
    "NemotronH_Nano_Omni_Reasoning_V3",
    "NemotronH_Super_Omni_Reasoning_V3",
)

ARCHITECTURES = {
    "nemotron_h_omni": _OMNI,
    "NemotronH_Nano_VL_V2": ("NemotronH_Nano_VL_V2",),
    "nemo_speechlm": ("Nemotron3_5TranscribeForConditionalGeneration",),
}


def describe(config: Fields, identity: Identity) -> Description:
    """Read the language model of a Nemotron wrapper."""
    text = config.child(config.first("text_config", "llm_config"))
    return with_vision(wrapped(config, identity, "nemotron_h", tied=False, text=text), None)
