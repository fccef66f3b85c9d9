"""Study of word segmenters trained on pauses in speech, like the paper's Tables 3 and 4."""
