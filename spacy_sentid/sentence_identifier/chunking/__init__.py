"""Chunks for retrieval: whole sentences under their headings.

In: a Doc with units, and a maximum number of tokens. Out: chunks with offsets into the text.
Read in this order: sections, cuts, packing, chunks.
"""
