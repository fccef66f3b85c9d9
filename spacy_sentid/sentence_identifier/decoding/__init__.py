"""Find the best units by the scores of the network.

Input: scores of a batch. Output: the best units that tile the tokens, with a confidence.
Read in this order: predict (the everyday way), decode, batch_units; then stretches (long texts).
"""
