"""Files that other parts read and write: in one step, with errors, resumable."""
