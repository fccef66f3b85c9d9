"""The page of `serve`: type a text and see its units.

Input: pipelines, and requests. Output: pages and JSON.
Read in this order: pipelines, gallery, snippets, demo, server.
"""
