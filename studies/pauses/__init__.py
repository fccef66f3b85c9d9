"""What pauses in speech do to a word segmenter: the trainings of the paper's Tables 3 and 4."""
