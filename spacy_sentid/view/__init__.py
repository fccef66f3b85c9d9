"""Render self-contained pages that show the results of pipelines.

units -> HTML fragment -> page. All text is escaped by the functions of `page`.
"""
