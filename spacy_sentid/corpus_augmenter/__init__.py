"""Augmentation of treebanks and Examples: units without end marks, and separate noun phrases."""
