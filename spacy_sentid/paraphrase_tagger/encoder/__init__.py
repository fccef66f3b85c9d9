"""Encoders of pairs by a transformer.

In: Docs with two texts. Out: a vector of each word.
Read in this order: wordpieces, pair_encoder, transformer.
"""
