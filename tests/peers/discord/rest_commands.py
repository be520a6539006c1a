"""Application commands, global and of a guild: the app's list of them, its limits, its creates a day."""

from __future__ import annotations

from typing import Any

from tests.peers.discord.faults import Refusal
from tests.peers.discord.limits import check_command
from tests.peers.discord.rest import Call, Route
from tests.peers.discord.rest_guilds import guild_of

Json = dict[str, Any]

MOST = {1: 100, 2: 15, 3: 15}
CREATES_A_DAY = 200


def _scope(call: Call) -> str:
    if call.args["app"] != call.state.app.id:
        raise Refusal(10002)
    return guild_of(call).id if "guild" in call.args else ""


def _all(call: Call) -> list[Json]:
    return call.state.commands.get(_scope(call), [])


def _overwrite(call: Call) -> list[Json]:
    """What has the name and type of one that is there is that one, changed; the rest counts as created."""
    scope = _scope(call)
    if not isinstance(call.body, list):
        raise Refusal(50035)
    old = {_key(command): command for command in call.state.commands.get(scope, [])}
    keys = [_key(command) for command in call.body]
    for command in call.body:
        check_command(command)
    if len(keys) != len(set(keys)):
        raise Refusal(
            50035, {"_errors": [{"code": "APPLICATION_COMMANDS_DUPLICATE_NAME", "message": "Names are unique"}]}
        )
    for kind, most in MOST.items():
        if sum(key[0] == kind for key in keys) > most:
            raise Refusal(30032)
    _count(call, scope, sum(key not in old for key in keys))
    call.state.commands[scope] = [_stored(call, scope, command, old.get(_key(command))) for command in call.body]
    call.state.changed()
    return call.state.commands[scope]


def _create(call: Call) -> Json:
    scope = _scope(call)
    check_command(call.form)
    there = call.state.commands.setdefault(scope, [])
    old = next((command for command in there if _key(command) == _key(call.form)), None)
    if old is None:
        _count(call, scope, 1)
        if sum(_key(c)[0] == _key(call.form)[0] for c in there) >= MOST[_key(call.form)[0]]:
            raise Refusal(30032)
    else:
        there.remove(old)
    there.append(_stored(call, scope, call.form, old))
    call.state.changed()
    return there[-1]


def _one(call: Call) -> Json:
    found = next((c for c in call.state.commands.get(_scope(call), []) if c["id"] == call.args["command"]), None)
    if found is None:
        raise Refusal(10063)
    return found


def _edit(call: Call) -> Json:
    command = _one(call)
    check_command(command | call.form)
    command |= call.form | {"version": call.state.minted()}
    return command


def _delete(call: Call) -> None:
    call.state.commands[_scope(call)].remove(_one(call))


def _count(call: Call, scope: str, new: int) -> None:
    made = call.state.creates.get(scope, 0) + new
    if made > CREATES_A_DAY:
        raise Refusal(30034)
    call.state.creates[scope] = made


def _key(command: Json) -> tuple[int, str]:
    return int(command.get("type", 1)), str(command.get("name"))


def _stored(call: Call, scope: str, command: Json, old: Json | None) -> Json:
    permissions = command.get("default_member_permissions")
    body: Json = {
        "id": old["id"] if old else call.state.minted(),
        "application_id": call.state.app.id,
        "version": call.state.minted(),
        "default_member_permissions": None if permissions is None else str(permissions),
        "type": command.get("type", 1),
        "name": command["name"],
        "description": command.get("description", ""),
        "options": command.get("options", []),
        "nsfw": command.get("nsfw", False),
        "dm_permission": command.get("dm_permission", True),
        "contexts": command.get("contexts"),
        "integration_types": command.get("integration_types") or [0],
        "name_localizations": command.get("name_localizations"),
        "description_localizations": command.get("description_localizations"),
    }
    return body | ({"guild_id": scope} if scope else {})


ROUTES = [
    route
    for prefix, where in (("/applications/{app}", "global"), ("/applications/{app}/guilds/{guild}", "guild"))
    for route in (
        Route("GET", prefix + "/commands", f"get_{where}_commands", _all),
        Route("PUT", prefix + "/commands", f"overwrite_{where}_commands", _overwrite),
        Route("POST", prefix + "/commands", f"create_{where}_command", _create),
        Route("GET", prefix + "/commands/{command}", f"get_{where}_command", _one),
        Route("PATCH", prefix + "/commands/{command}", f"edit_{where}_command", _edit),
        Route("DELETE", prefix + "/commands/{command}", f"delete_{where}_command", _delete),
    )
]
