"""Word boundaries from speech: forced alignments, their pauses, and training data from these."""
