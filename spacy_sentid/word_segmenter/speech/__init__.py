"""Learn word boundaries from the pauses of speech.

Input: recordings or alignments, and their transcripts. Output: pauses between characters, and
completed training data.
Read in this order: transcripts, pronunciations, recordings, aligner, alignments, matching, pauses,
completion.
"""
