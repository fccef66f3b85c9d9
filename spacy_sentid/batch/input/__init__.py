"""Input files of many formats, as a stream of documents.

Input: files, folders and globs, also compressed. Output: documents with their file and line.
Read in this order: documents, listing, sources, tables, html_text, mail, readers.
"""
