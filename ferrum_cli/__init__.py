"""Ferrum plans and inspects memory for language models that keep recurrent state."""

__version__ = "0.1.0"
