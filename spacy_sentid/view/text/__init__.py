"""A text with its units as HTML.

Input: a text and its units. Output: marked text, and the frame of a page.
Read in this order: kinds, columns, page, units, reading, colors.
"""
