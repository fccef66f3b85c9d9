"""Words of a text that another text does not support."""
