"""Questions that are proposed from what is indexed, for a person to keep or drop."""
