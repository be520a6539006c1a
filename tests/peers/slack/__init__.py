"""A Slack of its own for tests: SlackPeer and what it speaks in."""

from tests.peers.slack.delivery import Attempt, Delivery, Timing
from tests.peers.slack.driver import Actor
from tests.peers.slack.faults import Fault, Rates
from tests.peers.slack.http_events import Hostile
from tests.peers.slack.peer import SlackPeer
from tests.peers.slack.state import ApiCall, App, Ephemeral, Status, View
from tests.peers.slack.workspace import Channel, Message, User, Version, Workspace

__all__ = [
    "Actor",
    "ApiCall",
    "App",
    "Attempt",
    "Channel",
    "Delivery",
    "Ephemeral",
    "Fault",
    "Hostile",
    "Message",
    "Rates",
    "SlackPeer",
    "Status",
    "Timing",
    "User",
    "Version",
    "View",
    "Workspace",
]
