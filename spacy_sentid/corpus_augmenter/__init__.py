"""Treebanks and Examples as real text is: without end marks, with noun phrases on their own."""
