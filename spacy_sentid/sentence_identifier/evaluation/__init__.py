"""Scores of predicted units, and their calibration.

Input: texts with gold units, and a pipeline. Output: scores in [0, 1].
Read in this order: scorer, joined, documents, calibration.
"""
