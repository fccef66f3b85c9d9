"""Features of the words of a pair: which words of the other text match them.

Input: two texts. Output: a row of features for each word.
Read in this order: words, number_phrases, initials, lexicon, meanings, word_table, matches,
context, roles, severity, features, feature_layer.
"""
