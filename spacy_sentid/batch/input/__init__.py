"""Input files of many formats, as a stream of documents.

In: files, folders and globs, also compressed. Out: documents with their file and line.
Read in this order: documents, listing, sources, tables, html_text, mail, readers.
"""
