"""Texts without a model: units, offsets, tokenizers, data of languages.

In: texts. Out: units, and offsets that point into the original.
Read in this order: kinds, units, offsets, marks, language_data, long_texts, bounded_tokenizer.
"""
