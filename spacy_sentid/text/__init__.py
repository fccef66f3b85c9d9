"""Texts without a model: units, offsets, tokenizers, data of languages.

Input: texts. Output: units, and offsets that point into the original.
Read in this order: kinds, units, offsets, marks, language_data, long_texts, bounded_tokenizer.
"""
