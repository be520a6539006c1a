"""What the engine asks of a language model: writing, grading, rewriting. Knows the port, no vendor."""
