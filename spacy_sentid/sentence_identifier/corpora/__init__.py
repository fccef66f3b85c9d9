"""Training texts: units that are joined, laid out and changed as in real texts.

Input: gold Docs or documents. Output: Examples for `spacy train`, new ones in each epoch.
Read in this order: edits, layout, concatenation, noise, gold_units, documents, units.
"""
