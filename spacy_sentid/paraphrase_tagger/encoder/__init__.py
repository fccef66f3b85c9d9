"""Encoders of pairs by a transformer.

Input: Docs with two texts. Output: a vector of each word.
Read in this order: wordpieces, pair_encoder, transformer.
"""
