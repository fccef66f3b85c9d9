"""Sentences by rules for abbreviations: seven languages, no model."""
