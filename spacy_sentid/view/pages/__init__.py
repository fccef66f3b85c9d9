"""Pages of many texts: documents, pairs, errors, and treebanks.

In: texts with their units. Out: HTML pages that need no other file.
Read in this order: documents, pairs, error_types, errors, profile, show.
"""
