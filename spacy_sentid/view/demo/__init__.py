"""The page of `serve`: type a text and see its units.

In: pipelines, and requests. Out: pages and JSON.
Read in this order: pipelines, gallery, snippets, demo, server.
"""
