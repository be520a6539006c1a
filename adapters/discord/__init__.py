"""Discord: an event -> Question, a Reply -> embeds."""
