"""`candor tour`: a few questions on the example handbook, one for each path through the engine."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from adapters.console.tour import Stop, load_stops, play
from bot.app import App
from bot.assistant import Assistant
from bot.commands.index import index_paths
from bot.context import Context
from bot.exits import Exit
from bot.hints import DEMO, named_in
from config.sections import CHECKOUT
from crag.events import Listener
from crag.types import Question, Reply

HANDBOOK = CHECKOUT / "examples" / "handbook"
TOUR = CHECKOUT / "examples" / "tour.json"


async def run(context: Context, arguments: Namespace) -> Exit:
    if arguments.file:
        stops = load_stops(arguments.file)
        async with context.app() as app:
            return await guide(context, app, stops)
    context = apart(context)
    async with context.app() as app:
        await index_paths(context, app.library, [HANDBOOK])
        return await guide(context, app, load_stops(TOUR))


def apart(context: Context) -> Context:
    """The demo keeps its index to itself: the handbook is not to stand among anybody's own documents."""
    settings = context.settings
    weaviate = settings.weaviate
    place = {"collection": "CandorDemo", "data_directory": weaviate.data_directory.parent / DEMO}
    changed = settings.model_copy(update={"weaviate": weaviate.model_copy(update=place)})
    return replace(context, loaded=replace(context.loaded, settings=changed))


async def guide(context: Context, app: App, stops: Sequence[Stop]) -> Exit:
    """Play the tour. It fails where a question doesn't take the path that it is to show."""
    assistant = Assistant(app.engine, deadline_s=context.settings.crag.deadline_s)

    async def ask(question: Question, on_event: Listener) -> Reply:
        return named_in(await assistant.answer(question, on_event), context.screen.program)

    strayed = await play(context.screen.out, stops, ask, context.question())
    if not strayed:
        return Exit.OK
    return context.screen.fail(Exit.FAILED, "tour", "\n".join(strayed))
