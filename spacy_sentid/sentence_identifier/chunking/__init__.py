"""Chunks for retrieval: whole sentences under their headings.

Input: a Doc with units, and a maximum number of tokens. Output: chunks with offsets into the text.
Read in this order: sections, cuts, packing, chunks.
"""
