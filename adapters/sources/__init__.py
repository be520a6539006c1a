"""Folders of files -> documents -> chunks."""
