"""Looking into transcripts: where each part came from, search, times, and the explorer widget."""
