"""The parts that all components share: settings, saving, weights, and loading by name.

Input: names, settings and folders. Output: components and pipelines.
Read in this order: settings, weights, saving, pipe, pipelines, sentence_starts, label_glossary.
"""
