"""The report as one HTML page: no script, nothing loaded from anywhere, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from crag import wording
from crag.evaluation import plots
from crag.evaluation.changes import Changes
from crag.evaluation.metrics import Figures, Rate
from crag.evaluation.outcomes import Outcome, Result
from crag.evaluation.results import Evaluation
from crag.text import clean
from crag.types import Abstention, Answer, Courtesy, Grade

WORST = 50
"""How many of the worst cases the page shows."""
GRADES = 10
"""How many graded passages of each."""
_STYLE = """
:root{--ink:#1c2733;--soft:#5b6b7a;--line:#d5dde4;--page:#fff;--good:#1f7a4d;--bad:#b3261e;--mid:#8a6100}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#9aa9b7;--line:#38444f;--page:#14191e;--good:#5fc795;
--bad:#ff8a80;--mid:#e0b050}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:1040px;margin:2rem auto;
padding:0 1rem}h1,h2{line-height:1.2}table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}.soft{color:var(--soft)}.wide{overflow-x:auto}
details{border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem;margin:.5rem 0}summary{cursor:pointer}
.false_answer,.worse{color:var(--bad)}.needless_abstention{color:var(--mid)}.right,
.honest_abstention,.better{color:var(--good)}
.plots{display:flex;flex-wrap:wrap;gap:1rem}.plots figure{flex:1 1 380px;margin:0}svg{width:100%;height:auto}
svg text{fill:var(--soft)}.small{font-size:10px}.grid{stroke:var(--line)}.line{
fill:none;stroke:var(--bad);stroke-width:2}
.yes{fill:var(--good)}.no{fill:var(--bad)}.gate{stroke:var(--soft);stroke-dasharray:4 3}
""".strip()
_NAMES = {
    Result.RIGHT: "Right",
    Result.FALSE: "False answer",
    Result.NEEDLESS: "Needless abstention",
    Result.HONEST: "Honest abstention",
}


def page(run: Evaluation, limits: Sequence[str] = (), changed: Changes | None = None) -> str:
    """The whole document. `limits` are sentences about limits that were crossed."""
    worst = worst_cases(run.outcomes)
    shown = worst[:WORST]
    left_out = f"<p class=soft>{len(worst) - len(shown)} more are not shown.</p>" if len(worst) > len(shown) else ""
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Candor: {_t(run.file)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>How often Candor is right</h1>{_about(run)}",
        *(f"<p class=worse>{_t(sentence)}</p>" for sentence in limits),
        f"<h2>Figures</h2>{_figures(run.all)}",
        f"<h2>By kind of question</h2>{_kinds(run)}",
        f"<h2>What a threshold would buy</h2>{_plots(run)}{_operating(run)}",
        _changes(changed) if changed else "",
        f"<h2>The worst cases</h2>{left_out}",
        *(_case(outcome) for outcome in shown),
        "" if worst else "<p>No false answer and no needless abstention.</p>",
        "</body></html>\n",
    ]
    return "\n".join(filter(None, parts))


def worst_cases(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """False answers, the surest first; then needless abstentions, the surest first: those were nearly right."""
    bad = [o for o in outcomes if o.result in (Result.FALSE, Result.NEEDLESS)]
    return sorted(bad, key=lambda o: (o.result is not Result.FALSE, -o.score))


def percent(rate: Rate) -> str:
    """ "4.2 % (5 of 120)", or "-"."""
    return "-" if rate.share is None else f"{rate.share:.1%} ({rate.count} of {rate.total})"


def _t(text: object) -> str:
    return escape(clean(str(text)), quote=True)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already."""
    titles = "".join(f"<th>{title}</th>" for title in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<div class=wide><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"


def _about(run: Evaluation) -> str:
    models = ", ".join(f"{part} {model}" for part, model in run.trace.models.items())
    told = [
        f"{len(run.outcomes)} questions of {run.file}{f' (split {run.split})' if run.split else ''}, {run.date}.",
        f"{wording.documents(run.trace.searched)}, index {run.trace.generation or '-'}; {models or 'no models'}.",
        f"Thresholds: lower {run.trace.lower:.3f}, upper {run.trace.upper:.3f}.",
    ]
    if run.all.failed:
        told.append(f"{run.all.failed} questions could not be answered because a part of Candor failed.")
    if run.unseen:
        told.append(f"Expected but never found, so perhaps misspelt or not indexed: {', '.join(run.unseen)}.")
    return f"<p class=soft>{'<br>'.join(map(_t, told))}</p>"


def _figures(found: Figures) -> str:
    rows = [(_t(name.replace("_", " ")), percent(rate), _interval(rate)) for name, rate in found.rates.items()]
    for band, rate in found.badges.items():
        if rate.total:
            rows.append((f"right where the badge says “{wording.BANDS[band]}”", percent(rate), _interval(rate)))
    rows.append(("mean reciprocal rank", "-" if found.mrr is None else f"{found.mrr:.3f}", ""))
    for name, took in (("time to a reply", found.latency), ("retrieve and grade", found.retrieve_and_grade)):
        if took.p50 is not None and took.p95 is not None:
            rows.append((name, f"p50 {took.p50:.0f} ms, p95 {took.p95:.0f} ms", ""))
    return _table(("", "share", "95 % interval"), rows)


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"{low:.1%} to {high:.1%}" if rate.total else ""


def _kinds(run: Evaluation) -> str:
    head = ("kind", "questions", "hit@5", "answered", "false answers", "needless", "citation precision")
    return _table(
        head,
        (
            (
                _t(kind),
                str(f.questions),
                percent(f.hits[5]),
                percent(f.answered),
                percent(f.false_answers),
                percent(f.needless_abstentions),
                percent(f.citation_precision),
            )
            for kind, f in run.kinds.items()
        ),
    )


def _plots(run: Evaluation) -> str:
    yes = [o.score for o in run.outcomes if o.asked.answerable]
    no = [o.score for o in run.outcomes if not o.asked.answerable]
    risk, bars = plots.risk_coverage(run.curve.points), plots.scores(yes, no, run.trace.lower, run.trace.upper)
    caption = "Best score of answerable (green) and unanswerable (red) questions."
    return (
        f"<div class=plots><figure>{risk}<figcaption class=soft>Answering only the surest: how many of the answers "
        f"would be wrong.</figcaption></figure><figure>{bars}<figcaption class=soft>{caption}</figcaption></figure>"
        "</div>"
    )


def _operating(run: Evaluation) -> str:
    aurc, auroc = run.curve.aurc, run.curve.auroc
    told = f"AURC {'-' if aurc is None else f'{aurc:.4f}'}, AUROC {'-' if auroc is None else f'{auroc:.3f}'}."
    rows = [
        (
            f"{kept:.0%}",
            f"{p.threshold:.3f}",
            percent(p.unanswerable),
            _interval(p.unanswerable),
            percent(p.false_answers),
        )
        for kept, p in run.curve.operating.items()
    ]
    head = ("answerable kept", "threshold", "unanswerable answered", "95 % interval", "false answers of all")
    return f"<p>{told}</p>{_table(head, rows)}"


def _changes(changed: Changes) -> str:
    figures = (
        (
            _t(c.name.replace("_", " ")),
            f"{c.before:.3f}",
            f"{c.after:.3f}",
            f"<span class={'better' if c.better else 'worse'}>{'better' if c.better else 'worse'}</span>"
            f"{'' if c.clear else ' (may be chance)'}",
        )
        for c in changed.figures
    )
    turned = ((_t(t.id), _t(t.question), _t(t.before), _t(t.after)) for t in changed.turned)
    told = f"{changed.common} questions in both, {changed.new} new, {changed.gone} gone."
    return (
        f"<h2>What changed</h2><p class=soft>{told}</p>{_table(('', 'before', 'now', ''), figures)}"
        f"{_table(('id', 'question', 'before', 'now'), turned)}"
    )


def _case(outcome: Outcome) -> str:
    asked, trace = outcome.asked, outcome.reply.trace
    turns = " / ".join(f"{'bot' if turn.by_bot else 'user'}: {turn.text}" for turn in asked.history)
    facts = (
        ("Before", turns),
        ("Said", _said(outcome)),
        ("Expected", ", ".join(sorted(asked.sources)) or "nothing: “I don't know” is right"),
        ("Known answer", asked.answer),
        ("Cited", ", ".join(chunk.link for chunk in outcome.cited)),
        ("Searched", " / ".join(dict.fromkeys(trace.queries))),
        ("Band", f"{trace.band or '-'} {trace.strategy}"),
        ("Path", " > ".join(trace.states)),
        ("Actions", ", ".join(trace.actions)),
        ("Failures", "; ".join(trace.failures)),
        ("Timings", ", ".join(f"{stage} {ms:.0f} ms" for stage, ms in trace.timings.items())),
        ("Trace", trace.id),
    )
    listed = _table(("", ""), ((_t(name), _t(value)) for name, value in facts if value))
    return (
        f"<details><summary><b class={outcome.result}>{_NAMES[outcome.result]}</b> {outcome.score:.3f} "
        f"{_t(asked.text)} <span class=soft>{_t(asked.id)}, {_t(asked.kind)}</span></summary>"
        f"{listed}{_grades(outcome)}{_sentences(outcome)}</details>"
    )


def _said(outcome: Outcome) -> str:
    match outcome.reply.body:
        case Answer() as answer:
            return f"{answer.text} ({wording.badge(answer)})"
        case Abstention(reason, detail):
            return f"{detail} ({reason})"
        case Courtesy(text):
            return text


def _grades(outcome: Outcome) -> str:
    def row(rank: int, grade: Grade) -> tuple[str, ...]:
        mark = "<b>expected</b> " if outcome.asked.source_of(grade.chunk) else ""
        kept = "kept" if grade.kept else "dropped"
        text = f"<details><summary>{_t(grade.chunk.link)}</summary>{_t(grade.chunk.text)}</details>"
        score = f"{grade.score:.3f}" if grade.graded else "-"
        return (str(rank), mark + text, score, grade.verdict, kept, _t(wording.grade_reason(grade)))

    rows = (row(rank, grade) for rank, grade in enumerate(outcome.ranked[:GRADES], 1))
    return _table(("#", "passage", "score", "verdict", "", "why"), rows) if outcome.ranked else ""


def _sentences(outcome: Outcome) -> str:
    sentences = outcome.reply.trace.sentences
    rows = ((_t(s.text), f"{s.score:.3f}", "borne out" if s.supported else "left out", _t(s.reason)) for s in sentences)
    return _table(("sentence", "score", "", "why"), rows) if sentences else ""
