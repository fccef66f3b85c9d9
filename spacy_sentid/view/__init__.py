"""See it: self-contained pages of what the pipelines found.

units -> HTML fragment -> page. All text is escaped by one function: `page.escape_text`.
"""
