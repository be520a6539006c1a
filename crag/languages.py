"""Whether two texts can be in one language, told by their most common words.

Enough to notice a translation. A text with hardly two such words - a name, a handful of keywords - can be in any
language. Only languages in Latin script: the others are told by their script.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict

ENOUGH = 1.5
"""The weight of common words that tells a language; each weighs one, divided by the languages that have it."""

_PART = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": """
        the a an and or but if of to in on at by for from with about into over is are was were be been am do does did
        can could may must should will would has have had not no it its this that these those there what which who
        when where why how many much i you he she we they my your our their me us as so than then also any""",
    "de": """
        der die das den dem des ein eine einen einem einer und oder aber wenn von vom zu zum zur in im an am auf aus
        bei mit nach für über um durch ist sind war waren wird werden kann können muss müssen soll darf hat haben habe
        nicht kein keine es dies diese dieser was welche welcher welches wer wann wo warum wie viele viel ich du er
        sie wir ihr mein meine man als so auch noch nur bis""",
    "fr": """
        le la les l un une des du de d et ou mais si à au aux en dans sur par pour avec sans est sont était être été
        peut doit faut a ont avoir ne n pas ce c cette ces il elle qui que qu quoi quel quelle quels quelles quand où
        pourquoi comment combien je j tu nous vous ils mon ma mes notre votre leur on plus aussi y""",
    "es": """
        el la los las un una unos unas de del y o pero si a al en con por para sin sobre es son era fue ser está están
        puede debe hay ha han no este esta estos eso lo se qué que cuál cuáles quién cuándo dónde cómo cuánto cuánta
        cuántos cuántas yo tú él ella nosotros ellos mi su sus nuestro me le como más también""",
    "it": """
        il lo la i gli le l un uno una di del dello della dell dei delle e o ma se a al alla all in nel nella con per
        da dal dalla su sul sulla è sono era essere può deve ha hanno ho non questo questa ci si che chi quale quali
        quando dove perché come quanto quanta quanti quante io noi loro mio mia suo nostro mi anche più""",
    "pt": """
        o a os as um uma de do da dos das e ou mas se em no na nos nas ao à com por para sem sobre é são era foi ser
        está pode deve há tem têm não este esta isso que qual quais quem quando onde como quanto quanta quantos
        quantas eu você ele ela nós eles meu minha seu sua nosso me mais também""",
    "nl": """
        de het een en of maar als van naar te in op aan bij door voor uit met over om tot is zijn was waren wordt
        worden kan kunnen moet moeten mag zal heeft hebben heb niet geen er dit dat deze die wat welke wie wanneer
        waar waarom hoe veel hoeveel ik je jij u hij zij ze we wij mijn uw ons ook nog dan""",
    "sv": """
        en ett den det de och eller men om av till i på vid för från med över är var vara blir kan ska måste får har
        hade inte ingen detta denna dessa vad vilken vilka vem när hur många mycket jag du han hon vi ni min din vår
        som att också så""",
    "da": """
        en et den det de og eller men hvis af til i på ved for fra med over er var være bliver kan skal må har havde
        ikke ingen dette denne disse hvad hvilken hvilke hvem hvornår hvor hvordan mange meget jeg du han hun vi min
        din vores som at også så""",
    "pl": """
        i lub albo ale jeśli w we na do od z ze za o po przy dla bez przez jest są był była być może można musi trzeba
        ma mają nie tak to ten ta te tego co jaki jaka jakie który która które kto kiedy gdzie dlaczego jak ile ja ty
        on ona my mój moja nasz się czy już""",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _COMMON.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)


def may_share_a_language(one: str, other: str) -> bool:
    """False only where both say enough: each is written in another script, or full of another language's words."""
    return not _apart(_scripts(one), _scripts(other)) and not _apart(_languages(one), _languages(other))


def _apart(some: set[str], others: set[str]) -> bool:
    return bool(some and others and some.isdisjoint(others))


def _languages(text: str) -> set[str]:
    """Those a text may be in, near relatives together; none where it has too few common words to tell."""
    words = _PART.findall(unicodedata.normalize("NFC", text).lower())
    weights: defaultdict[str, float] = defaultdict(float)
    for languages in (_LANGUAGES_OF.get(word, []) for word in words):
        for language in languages:
            weights[language] += 1 / len(languages)
    most = max(weights.values(), default=0)
    return {language for language, weight in weights.items() if weight > most / 2} if most >= ENOUGH else set()


def _scripts(text: str) -> set[str]:
    """The writing systems of a text's letters: {"LATIN"}, {"CYRILLIC", "LATIN"}, {"CJK"}; {"NONE"} without letters."""
    return {unicodedata.name(c, "UNKNOWN").split()[0] for c in text if c.isalpha()} or {"NONE"}
