"""What Prometheus is told. No label names a person, a channel or a workspace."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from crag.events import State
from crag.platform import PlatformBot
from crag.types import Abstention, Action, Answer, Reason, Reply, Support

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
STAGES = frozenset({*State, "embed", "total"})
"""The timings of a trace that are stages; times in a trace are milliseconds."""

OUTCOMES = ("answered", "abstained", "courtesy", "duplicate", "refused", "limited", "busy", "postponed", "failed")


class Metrics:
    """A registry of its own, so that two bots in one process don't count together."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        made = self.registry
        self._questions = Counter("candor_questions", "Questions by what became of them", ["outcome"], registry=made)
        self._actions = Counter("crag_actions", "What the engine did", ["action"], registry=made)
        self._abstentions = Counter("candor_abstentions", "Abstentions by reason", ["reason"], registry=made)
        self._support = Counter("candor_support", "Answers by support", ["support"], registry=made)
        self._stages = Histogram("candor_stage_seconds", "Time in a stage", ["stage"], buckets=SECONDS, registry=made)
        self._waited = Histogram("candor_wait_seconds", "Time in the queue", buckets=SECONDS, registry=made)
        self._unshown = Counter("candor_unshown", "Replies that a platform refused", ["platform"], registry=made)
        self._votes = Counter("candor_votes", "Votes under replies", ["vote"], registry=made)
        self._connected = Gauge("candor_platform_connected", "1 while it is connected", ["platform"], registry=made)
        for outcome in OUTCOMES:
            self._questions.labels(outcome)
        for action in Action:
            self._actions.labels(action.value)
        for reason in Reason:
            self._abstentions.labels(reason.value)
        for support in Support:
            self._support.labels(support.value)

    def question(self, outcome: str) -> None:
        """One of OUTCOMES."""
        self._questions.labels(outcome).inc()

    def replied(self, reply: Reply) -> None:
        """What a trace tells."""
        for action in reply.trace.actions:
            self._actions.labels(action.value).inc()
        for stage, milliseconds in reply.trace.timings.items():
            if stage in STAGES:
                self._stages.labels(stage).observe(milliseconds / 1000)
        match reply.body:
            case Answer(support=support):
                self._support.labels(support.value).inc()
                self.question("answered")
            case Abstention(reason=reason):
                self._abstentions.labels(reason.value).inc()
                self.question("abstained")
            case _:
                self.question("courtesy")

    def waited(self, seconds: float) -> None:
        self._waited.observe(seconds)

    def unshown(self, platform: str) -> None:
        self._unshown.labels(platform).inc()

    def voted(self, *, helpful: bool) -> None:
        self._votes.labels("helpful" if helpful else "not_helpful").inc()

    def gauge(self, name: str, help: str, value: Callable[[], float]) -> None:
        """A value that is asked for when it is read."""
        Gauge(name, help, registry=self.registry).set_function(value)

    def counter(self, name: str, help: str, value: Callable[[], float]) -> None:
        """A value that only grows, counted elsewhere and asked for when it is read."""
        self.registry.register(_Read(name, help, value))

    def connections(self, bot: PlatformBot) -> None:
        """Whether a platform is connected."""
        self._connected.labels(bot.platform).set_function(lambda: float(bot.connected))

    def page(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self.registry)


class _Read(Collector):
    def __init__(self, name: str, help: str, value: Callable[[], float]) -> None:
        self._name = name
        self._help = help
        self._value = value

    def collect(self) -> list[CounterMetricFamily]:
        return [CounterMetricFamily(self._name, self._help, value=self._value())]
