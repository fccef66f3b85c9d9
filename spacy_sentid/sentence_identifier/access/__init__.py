"""Read the units of a Doc.

In: a Doc with units. Out: units in text order with kinds and scores, a table, a Doc of the SUs.
Read in this order: spans, units, extensions, stripped_doc.
"""
