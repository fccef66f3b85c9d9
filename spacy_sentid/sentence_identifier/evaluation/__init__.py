"""Scores of predicted units, and their calibration.

In: texts with gold units, and a pipeline. Out: scores in [0, 1].
Read in this order: scorer, joined, documents, calibration.
"""
