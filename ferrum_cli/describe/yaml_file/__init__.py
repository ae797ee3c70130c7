"""YAML descriptions, in and out: `ferrum.model/1`.

A file goes through `reader`: `guard` turns bytes into plain data and refuses what makes YAML
dangerous, `validation` holds the data against `format`, and `build` makes the description. `writer`
goes the other way. It knows nothing about other ways to describe a model.
"""
