"""One file a command: `async def run(context, arguments) -> Exit`. Only the command that is run is imported."""
