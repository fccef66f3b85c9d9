"""Read and write CoNLL-U.

In: files of treebanks. Out: sentences with their words, byte for byte when they are written.
Read in this order: blocks, unit_checks, treebank.
"""
