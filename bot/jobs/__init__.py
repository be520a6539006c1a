"""Work that admins start from chat and that outlasts the command: reindexing the configured sources."""

from bot.jobs.reindexing import Reindexing

__all__ = ["Reindexing"]
