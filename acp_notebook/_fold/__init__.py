"""Records, their fold, and the state that comes of it: pure Python, no clock, no event loop."""
