"""What an app answers to an interaction: the callback, then @original and follow-ups by the interaction's token."""

from __future__ import annotations

import time
from typing import Any

from tests.peers.discord.faults import Refusal
from tests.peers.discord.interactions import Answer, Asked, Interaction, Modal
from tests.peers.discord.limits import check_modal
from tests.peers.discord.messages import Flag, Message
from tests.peers.discord.payloads import message_json, metadata_json, sort_of_answer
from tests.peers.discord.posting import changed, erased, made, noted
from tests.peers.discord.rest import Call, Route

Json = dict[str, Any]

_FITS = {
    Answer.MESSAGE: (Asked.COMMAND, Asked.COMPONENT, Asked.MODAL),
    Answer.DEFERRED: (Asked.COMMAND, Asked.COMPONENT, Asked.MODAL),
    Answer.DEFERRED_UPDATE: (Asked.COMPONENT, Asked.MODAL),
    Answer.UPDATE: (Asked.COMPONENT, Asked.MODAL),
    Answer.CHOICES: (Asked.AUTOCOMPLETE,),
    Answer.MODAL: (Asked.COMMAND, Asked.COMPONENT),
}
FOLLOWUPS_OF_USER_APPS = 5


def _callback(call: Call) -> Json | None:
    """The first response: once, and within 3 seconds."""
    interaction = next((i for i in call.state.interactions if i.id == call.args["interaction"]), None)
    if interaction is None or interaction.token != call.args["token"]:
        raise Refusal(10062)
    if interaction.acked:
        raise Refusal(40060)
    if interaction.error or call.state.now() - interaction.made_at > call.state.timing.first_response_s:
        raise Refusal(10062)
    answer, data = int(call.form["type"]), call.form.get("data") or {}
    updates = answer in (Answer.DEFERRED_UPDATE, Answer.UPDATE)
    if interaction.kind not in _FITS.get(answer, ()) or (updates and interaction.source is None):
        raise Refusal(50035, {"type": {"_errors": [{"code": "INTERACTION_TYPE_INVALID", "message": "Wrong here"}]}})
    _take_effect(call, interaction, answer, data)
    interaction.answer, interaction.response = answer, data
    interaction.responded_at = time.monotonic()
    interaction.done.set()
    call.state.changed()
    return _resource(call, interaction) if call.query.get("with_response") in ("1", "true") else None


def _take_effect(call: Call, interaction: Interaction, answer: int, data: Json) -> None:
    match answer:
        case Answer.MESSAGE:
            interaction.original = _answered(call, interaction, data)
        case Answer.DEFERRED:
            interaction.original = _thinking(call, interaction, data)
        case Answer.DEFERRED_UPDATE:
            interaction.original = interaction.source
        case Answer.UPDATE if interaction.source is not None:
            interaction.original = interaction.source
            changed(call.state, call.events, interaction.source, data, call.files, "update")
        case Answer.CHOICES:
            if len(data.get("choices") or []) > 25:
                raise Refusal(50035)
            interaction.choices = data.get("choices") or []
        case Answer.MODAL:
            check_modal(data)
            interaction.modal = Modal(call.state.minted(), interaction.user, data, interaction)
            call.state.modals.append(interaction.modal)


def _new(call: Call, interaction: Interaction, data: Json) -> Message:
    ephemeral = bool(Flag(int(data.get("flags") or 0)) & Flag.EPHEMERAL)
    message = Message(call.state.minted(), interaction.channel, call.state.world.bot.id)
    message.sort, message.interaction = sort_of_answer(interaction), interaction.id
    message.interaction_metadata = metadata_json(call.state, interaction)
    message.webhook_id = call.state.app.id
    message.only_for = interaction.user if ephemeral else None
    message.flags |= Flag.EPHEMERAL if ephemeral else Flag(0)
    return message


def _answered(call: Call, interaction: Interaction, data: Json) -> Message:
    return made(call.state, call.events, _new(call, interaction, data), data, call.files, call.route.name)


def _thinking(call: Call, interaction: Interaction, data: Json) -> Message:
    message = _new(call, interaction, data)
    message.flags |= Flag.LOADING
    message.created_at = call.state.now()
    call.state.world.messages.append(message)
    noted(call.state, message, "deferred", {"parse": []})
    call.events.posted(message)
    return message


def _resource(call: Call, interaction: Interaction) -> Json:
    about: Json = {"id": interaction.id, "type": interaction.kind}
    resource: Json = {"type": interaction.answer}
    if (message := interaction.original) is not None:
        about |= {"response_message_id": message.id, "response_message_loading": message.thinking}
        about["response_message_ephemeral"] = message.ephemeral
        if interaction.answer != Answer.DEFERRED_UPDATE:
            resource["message"] = message_json(call.state, message)
    return {"interaction": about, "resource": resource}


def _interaction(call: Call) -> Interaction:
    """By the token, which lives 15 minutes and needs a first response to be worth anything."""
    if call.args["webhook"] != call.state.app.id:
        raise Refusal(10015)
    found = next((i for i in call.state.interactions if i.token == call.args["token"]), None)
    if found is None:
        raise Refusal(10015)
    if call.state.now() - found.made_at > call.state.timing.token_life_s:
        raise Refusal(50027)
    if not found.acked:
        raise Refusal(10015)
    return found


def _message(call: Call, interaction: Interaction) -> Message:
    """@original, or a follow-up of this very interaction."""
    wanted = call.args.get("message", "@original")
    mine = [interaction.original, *interaction.followups]
    found = interaction.original if wanted == "@original" else next((m for m in mine if m and m.id == wanted), None)
    if found is None or found.deleted:
        raise Refusal(10008)
    return found


def _follow_up(call: Call) -> Json:
    """A further message - but right after a deferred response it is the response itself."""
    interaction = _interaction(call)
    if interaction.thinking and interaction.original is not None:
        original = interaction.original
        return message_json(
            call.state, changed(call.state, call.events, original, call.form, call.files, call.route.name)
        )
    if interaction.user_installed and len(interaction.followups) >= FOLLOWUPS_OF_USER_APPS:
        raise Refusal(40094)
    message = _answered(call, interaction, call.form)
    interaction.followups.append(message)
    return message_json(call.state, message)


def _get(call: Call) -> Json:
    return message_json(call.state, _message(call, _interaction(call)))


def _edit(call: Call) -> Json:
    message = _message(call, _interaction(call))
    if call.state.world.channels[message.channel].archived:
        raise Refusal(50083)
    return message_json(call.state, changed(call.state, call.events, message, call.form, call.files, call.route.name))


def _delete(call: Call) -> None:
    erased(call.state, call.events, _message(call, _interaction(call)))


_TOKEN = "/webhooks/{webhook}/{token}"
_ORIGINAL = _TOKEN + "/messages/@original"
_ONE = _TOKEN + "/messages/{message}"

ROUTES = [
    Route("POST", "/interactions/{interaction}/{token}/callback", "interaction_callback", _callback, bot=False),
    Route("POST", _TOKEN, "create_followup", _follow_up, bot=False),
    Route("GET", _ORIGINAL, "get_original", _get, bot=False),
    Route("PATCH", _ORIGINAL, "edit_original", _edit, bot=False),
    Route("DELETE", _ORIGINAL, "delete_original", _delete, bot=False),
    Route("GET", _ONE, "get_followup", _get, bot=False),
    Route("PATCH", _ONE, "edit_followup", _edit, bot=False),
    Route("DELETE", _ONE, "delete_followup", _delete, bot=False),
]
