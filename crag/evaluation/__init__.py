"""How often answers are right, wrong and needlessly missing: the metrics, on the standard library alone."""
