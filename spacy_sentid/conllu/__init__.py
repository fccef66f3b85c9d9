"""Read and write CoNLL-U.

Input: files of treebanks. Output: sentences with their words, byte for byte when they are written.
Read in this order: blocks, unit_checks, treebank.
"""
