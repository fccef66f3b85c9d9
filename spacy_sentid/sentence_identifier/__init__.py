"""Sentential and non-sentential units of a text, by a trained model."""
