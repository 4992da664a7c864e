"""An agent without a model, for trying things out and for tests; it needs the standard library alone."""
