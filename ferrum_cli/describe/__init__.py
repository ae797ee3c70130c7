"""Text or bytes from outside → a description of a model.

YAML is read in the `yaml_` files, `config.json` in `config_json` and `huggingface/`, and `source`
decides which reader a MODEL argument needs. Nothing here knows engines or devices.
"""
