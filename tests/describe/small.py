"""A small description file that is good, and ways to change it for tests."""

SMALL = """\
schema: ferrum.model/1
name: small
dtype: BF16
hidden_size: 64
vocab_size: 128
max_context: 1024
blocks:
  mixer: {kind: short_conv, conv_kernel: 4}
  mlp:   {kind: feed_forward, intermediate_size: 256}
layers:
  - [mixer, mlp]
"""


def small_with(old: str = "", new: str = "", *, layers: str = "") -> str:
    """The small file with one text for another, or with other items under `layers`."""
    assert old in SMALL
    text = SMALL.replace(old, new, 1) if old else SMALL
    return text.replace("  - [mixer, mlp]\n", layers) if layers else text
