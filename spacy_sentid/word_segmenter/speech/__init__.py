"""Learn word boundaries from the pauses of speech.

Input: recordings or alignments, and their transcripts. Output: pauses between characters, and
completed training data.
Read in this order: transcripts, pronunciations, aligner, alignments, matching, pauses,
completion.
"""
