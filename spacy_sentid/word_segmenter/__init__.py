"""Chinese words, learned from segmented text and from pauses in speech."""
