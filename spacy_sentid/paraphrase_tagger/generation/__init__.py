"""Generate paraphrases, and train on them (ParaTag, section 4).

Input: pairs of sentences, and a language model or a seq2seq model of the user. Output: new pairs
that the tagger has checked, and training sets.
Read in this order: options, sentence_pairs, prompts, language_model, copies, candidates, seq2seq,
training_sets.
"""
