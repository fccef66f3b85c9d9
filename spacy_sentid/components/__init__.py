"""What the components share: settings, saving, weights, and loading by name.

In: names, settings and folders. Out: components and pipelines.
Read in this order: settings, weights, saving, pipe, pipelines, sentence_starts, label_glossary.
"""
