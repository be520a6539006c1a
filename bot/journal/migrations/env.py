"""What alembic runs: the steps that are missing, on the connection it was given."""

from alembic import context

from bot.journal.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
with context.begin_transaction():
    context.run_migrations()
