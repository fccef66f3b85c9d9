"""Read and write files: atomically, with a list of bad lines, and in jobs that can be resumed."""
