"""Slack: an event -> Question, a Reply -> blocks."""
