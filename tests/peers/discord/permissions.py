"""What a member may do where: Discord's permission bits, and how roles and overwrites add up."""

from __future__ import annotations

import enum


class Permission(enum.IntFlag):
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38


NONE = Permission(0)
ALL = Permission(sum(Permission))
EVERYONE = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.ADD_REACTIONS
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)
IN_DM = (EVERYONE | Permission.MENTION_EVERYONE) & ~Permission.CREATE_PUBLIC_THREADS

Overwrite = tuple[Permission, Permission]  # allowed, denied


def added_up(base: Permission, everyone: Overwrite | None, roles: list[Overwrite], own: Overwrite | None) -> Permission:
    """Discord's order: administrators may all; else the overwrites of @everyone, of the roles, of the member."""
    if Permission.ADMINISTRATOR in base:
        return ALL
    allowed, denied = NONE, NONE
    for allow, deny in roles:
        allowed |= allow
        denied |= deny
    for allow, deny in (everyone or (NONE, NONE), (allowed, denied), own or (NONE, NONE)):
        base = (base & ~deny) | allow
    return base if Permission.VIEW_CHANNEL in base else NONE
