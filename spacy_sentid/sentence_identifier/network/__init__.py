"""The neural network: tokens -> encoder -> heads -> scores of boundaries and of segments.

Input: Docs. Output: P(BOS), P(EOS) and scores of kinds for each token, and scores of segments.
Read in this order: tokens, line_features, abbreviations, word_vectors, word_types, encoder (or
unit_encoder and transformer), bos_eos, semi_markov, boundaries, segment_scorer, tagger.
"""
