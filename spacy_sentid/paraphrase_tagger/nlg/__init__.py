"""Score texts against references with the tagger (ParaTag, section 5).

Input: texts and their references. Output: precision, recall and F1 of each text.
Read in this order: passages, overlap, evaluator, comparison, score_records.
"""
