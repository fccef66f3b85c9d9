"""What the network learns: gold labels and the training loss.

In: Examples and the scores of the network. Out: the loss and its gradient.
Read in this order: gold, syntax, losses.
"""
