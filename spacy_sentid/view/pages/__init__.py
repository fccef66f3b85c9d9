"""Pages of many texts: documents, pairs, errors, and treebanks.

Input: texts with their units. Output: HTML pages that need no other file.
Read in this order: documents, pairs, error_types, errors, profile, show.
"""
