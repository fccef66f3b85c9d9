"""Features of the characters of a text.

Input: texts. Output: a row of hashed features for each character.
Read in this order: hashing, lexicon, raw_text, lexical_features, feature_layer.
"""
