"""From the scores of the network to units.

In: scores of a batch. Out: the best units that tile the tokens, with a confidence.
Read in this order: predict (the everyday way), decode, tiles, write; then stretches (long texts).
"""
