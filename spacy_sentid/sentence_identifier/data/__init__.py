"""Texts with units in files: treebanks, marked text, JSON records, annotation tools.

Input: files. Output: texts with their units, and gold Docs.
Read in this order: gold_document, rule, convert, marked_text, records, documents, annotation_tasks.
"""
