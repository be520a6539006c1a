"""Small talk gets a short friendly reply and costs no search. Only whole messages count: "hello, how much holiday do I
get?" is a question."""

from __future__ import annotations

import re

_GREETING = "Hello! Ask me anything that your team's documents may answer."
_THANKS = "You're welcome!"
_BYE = "Goodbye! I'm here when you need me."
_ABOUT = (
    "I'm Candor. I answer questions from your team's documents, show the passages I used, "
    "and say \"I don't know\" when the documents don't tell."
)
_FINE = "All is well here, thank you. What would you like to know?"

_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?:{pattern})(?:[\s,]+(?:candor|there|all|everyone|bot|team|again|you))*", re.IGNORECASE), reply)
    for pattern, reply in (
        (
            r"hi+|hello|hey+|hallo|hola|bonjour|salut|moin"
            r"|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)",
            _GREETING,
        ),
        (
            r"(?:many )?thanks(?: a lot| so much| very much)?|thank you(?: so much| very much)?"
            r"|thx|ty|cheers|danke(?: schön)?|merci|great,? thanks|ok,? thanks",
            _THANKS,
        ),
        (r"bye+|goodbye|see you|ciao|tschüss|au revoir|good night|cu", _BYE),
        (
            r"what (?:can|do) you do|what can you help(?: me)?(?: with)?|who are you|what are you|help"
            r"|how do you work|what is candor|was kannst du|wer bist du",
            _ABOUT,
        ),
        (r"how are you(?: doing)?(?: today)?|how is it going|how's it going|what's up|wie geht(?:'s| es dir)", _FINE),
    )
)


def courtesy(text: str) -> str | None:
    """The friendly reply to small talk, None for anything else."""
    bare = re.sub(r"[^\w\s',]+", "", text).strip(" ,\n").lower()
    for pattern, reply in _PATTERNS:
        if pattern.fullmatch(bare):
            return reply
    return None
