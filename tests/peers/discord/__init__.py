"""A Discord of its own for tests: DiscordPeer and what it speaks in."""

from tests.peers.discord.driver import Actor
from tests.peers.discord.faults import Fault, Rates
from tests.peers.discord.interactions import Answer, Asked, Interaction, Modal, Timing
from tests.peers.discord.messages import Flag, Message, Sort, Version
from tests.peers.discord.peer import DiscordPeer
from tests.peers.discord.permissions import Permission
from tests.peers.discord.state import ApiCall, App, Typing
from tests.peers.discord.world import APP, ELSEWHERE, GUILD, Channel, Guild, Kind, Role, User, World

__all__ = [
    "APP",
    "ELSEWHERE",
    "GUILD",
    "Actor",
    "Answer",
    "ApiCall",
    "App",
    "Asked",
    "Channel",
    "DiscordPeer",
    "Fault",
    "Flag",
    "Guild",
    "Interaction",
    "Kind",
    "Message",
    "Modal",
    "Permission",
    "Rates",
    "Role",
    "Sort",
    "Timing",
    "Typing",
    "User",
    "Version",
    "World",
]
