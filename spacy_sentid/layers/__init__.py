"""Layers that the models of several parts share."""
