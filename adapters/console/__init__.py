"""The terminal: a Reply -> text, a Trace -> the grade table, a line that was typed -> Question."""
