"""A text with its units as HTML.

In: a text and its units. Out: marked text, and the frame of a page.
Read in this order: kinds, columns, page, units, reading, colors.
"""
