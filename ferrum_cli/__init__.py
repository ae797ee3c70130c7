"""Ferrum plans and inspects memory for language models that keep recurrent state.

This file knows the version and nothing else; `app.py` is where a command line begins.
"""

__version__ = "0.1.0"
