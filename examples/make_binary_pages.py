"""Writes the two binary pages of the example handbook: `handbook/legal/contract-signing.docx` and
`handbook/partners/partner-pricing.pdf`. Both are committed; run this again only after a change of their text.

    .venv/bin/python examples/make_binary_pages.py
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import docx
import fpdf

HANDBOOK = Path(__file__).parent / "handbook"


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]


Block = str | Heading | Bullets | Table
"""A plain string is a paragraph."""

CONTRACTS: tuple[Block, ...] = (
    (
        "Who may sign what, and how a contract gets from a mail to the Drawer. Thea Vosberg looks after this "
        "document. It holds for both companies unless it says otherwise. Last changed on 21 January 2025."
    ),
    Heading("Who signs"),
    Table(
        (
            ("Value over the whole term", "Quillmere Ltd", "GmbH"),
            ("up to £10,000 / €12,000", "the Head of the house", "the Head and one Prokurist"),
            ("up to £75,000 / €88,000", "Oonagh Pell", "Oonagh Pell and one Prokurist"),
            ("above that", "Oonagh Pell and Wren Tallis", "Wren Tallis and one Prokurist"),
        )
    ),
    (
        "The value is counted over the whole term, with renewals that we can't stop. A contract of £4,000 a year "
        "for three years is worth £12,000. Splitting a contract to stay under a limit isn't done. The Prokuristen"
        " of the GmbH are Bela Krumm and Henk Osterloh. Nobody else may sign, also not by mail, and also not "
        '"just the order form".'
    ),
    Heading("NDAs"),
    (
        "Use our own template, it's mutual and runs for 3 years. Any crew lead may sign it if not one word was "
        "changed. If the other side wants its own paper it goes to Thea, who needs 2 working days for it."
    ),
    Heading("Review"),
    Bullets(
        (
            "Customer contracts on our paper without changes: no review.",
            "Customer contracts with changes, or on their paper: Thea, 5 working days. Say so if it's urgent, and why.",
            "Anything with a liability above the fees of one year, or with a penalty: always Thea and Oonagh together.",
            "Vendor contracts above £5,000 a year: Thea, after the three offers are there.",
            "Leases, loans and everything about company shares: Wren only.",
        )
    ),
    (
        "Our liability is limited to the fees of the last 12 months. We don't go above twice of that. We don't "
        "accept penalties for late delivery of hardware. The law of the contract is that of the company that "
        "signs."
    ),
    Heading("Signing"),
    (
        "Everything is signed with Inkwell. Paper only where the law asks for it: in Altenbrück that is for "
        "notice letters and fixed-term work contracts. A link in Inkwell is valid for 14 days. If a customer "
        "insists on a stamp, Dot has one in Stennick and Ulrike has one in Altenbrück."
    ),
    Heading("Filing"),
    (
        "The signed file goes into Drawer within 2 working days, with the end date and the notice date filled in."
        " Drawer sends a reminder to the owner 90 and 30 days before the notice date. A contract that isn't in "
        "Drawer doesn't exist for Finance, and its invoices aren't paid."
    ),
    Heading("DPA"),
    (
        "Every customer who asks gets our DPA, version 4.1 of November 2024. It's on the website; they can accept"
        " it in Larder with one click. Changes to it cost us a lot of time, so we only discuss them for contracts"
        " above £40,000 a year. The list of subprocessors is part of it; customers are told of a new one 30 days "
        "before."
    ),
)

PRICING: tuple[Block, ...] = (
    (
        "Valid from 1 February 2025 to 31 January 2026. For partners under contract and for colleagues. "
        "Questions: Caspian Lode, partners@quillmere.example."
    ),
    Heading("1. Levels"),
    Table(
        (
            ("", "Seedling", "Harvest", "Orchard"),
            ("Discount on Larder Core", "10 %", "15 %", "20 %"),
            ("Discount on Larder Plus", "12 %", "18 %", "25 %"),
            ("Discount on hardware", "5 %", "8 %", "12 %"),
            ("Net sales a year", "none", "£40,000", "£150,000"),
            ("Trained people", "1", "2", "5"),
            ("Own contact", "no", "yes", "yes"),
            ("Yearly fee", "none", "none", "£1,200"),
        )
    ),
    (
        "The level is set each February by the net sales of the last calendar year. If a partner falls below the "
        "line they keep their level for 6 months and then drop one step. New partners start as Seedling, whatever"
        " their size."
    ),
    Heading("2. Registering a deal"),
    (
        "A partner who finds a customer registers the deal in the partner portal. We answer in 3 working days. A "
        "registered deal is protected for 90 days and can be extended once, by 45 days. A protected deal gets "
        "another 5 points of discount, on Larder Plus only. Deals for customers that we already talk to can't be "
        "registered."
    ),
    Heading("3. Renewals and referrals"),
    (
        "For renewals the partner gets the same discount as long as they do the first support. If they don't, it "
        "is 8 % for all levels. Partners who only name a customer, without selling, receive a referral fee of 10 "
        "% of the first year's fees, paid 30 days after the customer has paid."
    ),
    Heading("4. Demo kits and training"),
    (
        "A demo kit (1 Hob, 5 Tellow 2, 1 deep probe) costs £250 for Seedling and Harvest, and is free for "
        "Orchard, two kits a year at most. Training is two days, in Stennick in March and September and online in"
        " June. The first two people are free, each further one is £180. The certificate is valid for 2 years."
    ),
    Heading("5. Paying"),
    (
        "Invoices are due in 30 days, for Orchard in 45. Orders below £200 carry a handling fee of £15. Hardware "
        "is shipped from Stennick within 5 working days, free from £500 on. Returns within 14 days, unopened."
    ),
    Heading("6. What partners may not do"),
    (
        "Sell below 90 % of our list price in public, promise more than our SLA, or use the name Larder in a web "
        "address. They set up and train their customers themselves, and they may charge for it what they like."
    ),
)


def write_docx(path: Path) -> None:
    page = docx.Document()
    page.core_properties.title = "Contract signing"
    page.core_properties.author = "Quillmere"
    page.core_properties.created = page.core_properties.modified = datetime(2025, 1, 21, tzinfo=UTC)
    page.add_heading("Contract signing", level=1)
    for block in CONTRACTS:
        match block:
            case Heading(text):
                page.add_heading(text, level=2)
            case Bullets(items):
                for item in items:
                    page.add_paragraph(item, style="List Bullet")
            case Table(rows):
                table = page.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
                for row in rows:
                    for cell, text in zip(table.add_row().cells, row, strict=True):
                        cell.text = text
            case str(text):
                page.add_paragraph(text)
    page.save(str(path))


def write_pdf(path: Path) -> None:
    page = fpdf.FPDF(format="A4")
    page.set_title("Partner price list 2025")
    page.set_author("Quillmere")
    page.set_creation_date(datetime(2025, 1, 27, tzinfo=UTC))
    page.set_margins(22, 20)
    page.add_page()
    page.set_font("Helvetica", "B", 18)
    page.cell(0, 12, "Partner price list 2025", new_x="LMARGIN", new_y="NEXT")
    for block in PRICING:
        match block:
            case Heading(text):
                page.ln(3)
                page.set_font("Helvetica", "B", 13)
                page.cell(0, 9, text, new_x="LMARGIN", new_y="NEXT")
            case Table(rows):
                page.set_font("Helvetica", size=10)
                with page.table(rows):
                    pass  # drawn on exit
                page.ln(2)
            case str(text):
                page.set_font("Helvetica", size=11)
                page.multi_cell(0, 5.5, text, new_x="LMARGIN", new_y="NEXT")
            case Bullets():
                raise NotImplementedError("the price list has no bullets")
    page.output(str(path))


if __name__ == "__main__":
    write_docx(HANDBOOK / "legal" / "contract-signing.docx")
    write_pdf(HANDBOOK / "partners" / "partner-pricing.pdf")
