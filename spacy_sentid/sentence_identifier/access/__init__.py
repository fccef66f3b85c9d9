"""Read and write the units of a Doc.

Input: a Doc with units. Output: units with kinds and scores, a table, a Doc of the SUs.
Read in this order: units, write, extensions, stripped_doc.
"""
