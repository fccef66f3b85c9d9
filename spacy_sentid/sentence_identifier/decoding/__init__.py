"""Find the best units by the scores of the network.

Input: scores of a batch. Output: the best units that tile the tokens, with a confidence.
Read in this order: tiles, decode, stretches (the same for texts that are too long for one step).
"""
