"""Gold labels and the training loss of the network.

Input: Examples and the scores of the network. Output: the loss and its gradient.
Read in this order: gold, syntax, losses.
"""
