"""Output formats: JSON Lines, Parquet, and the formats of annotation tools.

Input: the results of a task. Output: encoded records, and files that are written part by part.
Read in this order: records, parquet, formats.
"""
