"""Telling a translation from a rewording by common words alone."""

from __future__ import annotations

from itertools import permutations

import pytest

from crag.languages import may_share_a_language

SAME = {
    "en": ("How many vacation days can I carry over?", "transfer of unused leave to the next year and what it needs"),
    "de": ("Wie viele Urlaubstage kann ich ins nächste Jahr mitnehmen?", "Was ist mit dem Resturlaub am Jahresende?"),
    "fr": ("Combien de jours de congé est-ce que je peux reporter ?", "report des congés à l'année suivante"),
    "es": ("¿Cuántos días de vacaciones puedo pasar al año siguiente?", "traspaso de los días que no se usan"),
    "it": ("Quanti giorni di ferie posso riportare all'anno dopo?", "riporto delle ferie che non sono usate"),
    "pt": ("Quantos dias de férias posso levar para o próximo ano?", "transferência das férias que não foram usadas"),
    "nl": (
        "Hoeveel vakantiedagen mag ik meenemen naar het volgende jaar?",
        "wat er met de dagen van toen gebeurt",
    ),
    "sv": ("Hur många semesterdagar får jag spara till nästa år?", "vad som händer med dagar från förra året"),
    "da": ("Hvor mange feriedage må jeg overføre til næste år?", "hvad der sker med dage fra sidste år"),
    "pl": ("Ile dni urlopu mogę przenieść na przyszły rok i jak to zgłosić?", "co jest z dniami, które nie są użyte"),
}
RELATED = {frozenset({"sv", "da"}), frozenset({"es", "pt"})}
"""Near relatives share their common words, and words of their own are few in a question: no judgement is wanted."""


@pytest.mark.parametrize("language", SAME)
def test_a_rewording_stays_in_its_language(language: str) -> None:
    assert may_share_a_language(*SAME[language])


@pytest.mark.parametrize(("one", "other"), [p for p in permutations(SAME, 2) if frozenset(p) not in RELATED])
def test_a_translation_does_not(one: str, other: str) -> None:
    assert not may_share_a_language(SAME[one][0], SAME[other][0])


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Urlaub?", "How many days of vacation do I have?"),
        ("Wie viele Tage Urlaub habe ich?", "vacation days per year"),
        ("Müller Schmidt GmbH Altenbrück", "What is the address of the office in Altenbrück?"),
        ("Was macht Acme Corporation in Porto?", "Acme Corporation Porto"),
        ("", ""),
    ],
    ids=["short question", "keywords", "names", "names in the query", "nothing"],
)
def test_too_few_words_are_no_reason_to_refuse(question: str, query: str) -> None:
    assert may_share_a_language(question, query)


@pytest.mark.parametrize(
    "query",
    ["What is the policy for remote work?", "Was ist mit der Regelung für die Arbeit von zu Hause?"],
)
def test_a_mixed_question_may_be_put_in_either_language(query: str) -> None:
    assert may_share_a_language("Was ist die policy for remote work und what about the days in Spain?", query)


def test_a_word_that_two_languages_have_does_not_count_for_one_only() -> None:
    assert may_share_a_language("Was ist in der Probezeit am Anfang?", "Kündigung in der Probezeit und danach")
    assert not may_share_a_language("Was ist in der Probezeit am Anfang?", "What is it like in the first months?")


def test_another_script_is_another_language_unless_names_are_shared() -> None:
    assert not may_share_a_language("How many days of leave?", "Сколько дней отпуска")
    assert may_share_a_language("Slackで有給は?", "Slack 有給 申請")
