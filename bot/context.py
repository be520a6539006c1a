"""What every command is given: settings, where to print, how to open the parts."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from adapters.console.keys import unechoed
from adapters.console.safe import safe, safe_line
from adapters.console.structured import Data, dumps
from adapters.console.words import print_line
from bot.exits import Exit
from bot.hints import NAME, named
from bot.interrupts import Interrupts
from bot.watched import Watched
from config.settings import Loaded, Settings
from crag.types import Question

if TYPE_CHECKING:
    from bot.app import App, Library, Meter, Wiring

T = TypeVar("T")
WiringFactory = Callable[[Settings, Callable[[str], None]], "Wiring"]


class Output(Console):
    """A rich console for text as it is; it knows NO_COLOR and what a pipe is. While it draws a status or a bar, keys
    aren't echoed into that."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)
        self._echo: list[Callable[[], None]] = []

    def set_live(self, live: Live) -> bool:
        self._echo.append(unechoed() if self.is_terminal else lambda: None)
        return super().set_live(live)

    def clear_live(self) -> None:
        super().clear_live()
        self._echo.pop()()

    def on_broken_pipe(self) -> None:
        """rich would end the process here, in the middle of whatever is open."""
        raise BrokenPipeError


@dataclass(slots=True)
class Screen:
    """Standard output for what was asked for, standard error for all else. `log` takes what would go to standard error
    where that is a log for programs: (level, text). `program` is how the person starts Candor."""

    json: bool = False
    program: str = NAME
    log: Callable[[int, str], None] | None = None
    out: Console = field(default_factory=Output)
    err: Console = field(default_factory=lambda: Output(stderr=True))

    def emit(self, kind: str, data: Data) -> None:
        """The one JSON object of `--json`."""
        self.out.file.write(dumps(kind, data) + "\n")

    def say(self, text: str, level: int = logging.INFO) -> None:
        """Something for the person that isn't the result."""
        self._tell(Text(self.hint(text), style="dim" if level < logging.WARNING else "yellow"), level)

    def hint(self, text: str) -> str:
        """Candor's own words, safe to print, with commands as this person types them."""
        return named(safe(text), self.program)

    def _tell(self, text: Text, level: int) -> None:
        """Lines are broken on a terminal only: what reads a log breaks them itself."""
        if self.log:
            self.log(level, text.plain)
        else:
            print_line(self.err, text)

    def fail(self, code: Exit, kind: str, message: str, *, advice: str = "") -> Exit:
        """Tell what went wrong: JSON on standard output, or a sentence on standard error. Returns `code`."""
        if self.json:
            self.emit("error", {"code": kind, "exit": int(code), "message": safe(message), "advice": safe(advice)})
        else:
            self._tell(Text(self.hint(message), style="red"), logging.ERROR)
            if advice:
                self._tell(Text(self.hint(advice)), logging.ERROR)
        return code


@dataclass(frozen=True, slots=True)
class Context:
    """One run of a command."""

    screen: Screen
    loaded: Loaded
    interrupts: Interrupts
    wiring: WiringFactory

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    def question(self, text: str = "") -> Question:
        """A question of the person at the terminal, with what they may see. With a second corpus switched on, the first
        search stays in the first."""
        chosen = self.settings
        corpora = frozenset({chosen.corpus}) if chosen.crag.second_retriever == "corpus" else frozenset[str]()
        return Question(text, "terminal", "terminal", chosen.tenant, corpora, chosen.access)

    @asynccontextmanager
    async def app(self, meter: Meter = Watched) -> AsyncIterator[App]:
        """Everything that answers; `meter` is put around each language model. Raises CandorError."""
        async with self.opened(lambda wiring: wiring.app(meter)) as app:
            if app.warning:
                self.screen.say(app.warning)
            yield app

    def library(self) -> AbstractAsyncContextManager[Library]:
        """What is indexed, without what answers. Raises CandorError."""
        return self.opened(lambda wiring: wiring.library())

    @asynccontextmanager
    async def opened(self, choose: Callable[[Wiring], AbstractAsyncContextManager[T]]) -> AsyncIterator[T]:
        """Open some of the parts, with a status line that says what is being waited for. Raises CandorError."""
        err = self.screen.err
        async with AsyncExitStack() as stack:
            with err.status("Starting") as status:

                def notice(text: str) -> None:
                    if err.is_terminal:
                        status.update(Text(safe_line(text)))
                    else:
                        self.screen.say(text)

                part = await stack.enter_async_context(choose(self.wiring(self.settings, notice)))
            yield part
