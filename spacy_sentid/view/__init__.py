"""See it: self-contained pages of what the pipelines found.

units -> HTML fragment -> page. All text is escaped here, in one place: `escaping.escape_text`.
"""
