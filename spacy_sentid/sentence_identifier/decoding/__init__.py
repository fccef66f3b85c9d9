"""From the scores of the network to units.

In: scores of a batch. Out: the best units that tile the tokens, with a confidence.
Read in this order: tiles, decode, stretches (the same for texts that are too long for one step).
"""
