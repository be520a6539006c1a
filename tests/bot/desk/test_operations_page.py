"""`docs/operations.md` says what is so."""

from pathlib import Path

from bot.metrics import OUTCOMES
from tests.bot.desk.house import open_house

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")


async def test_every_metric_and_every_outcome_is_documented() -> None:
    async with open_house() as house:
        for metric in house.office.metrics.registry.collect():
            name = f"{metric.name}_total" if metric.type == "counter" else metric.name
            assert f"`{name}`" in PAGE
    for outcome in OUTCOMES:
        assert outcome in PAGE
