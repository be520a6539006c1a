"""HTML, DOCX and PDF -> Markdown. Runs in the parsing process only: these formats come from anywhere and can be made to
eat a machine. Each function raises SourceError with the reason in words."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from xml.parsers.expat import ExpatError

import mammoth
import pypdf
from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag
from markdownify import MarkdownConverter
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError

from adapters.sources.limits import MIB, Limits
from crag.errors import SourceError

_NOT_CONTENT = (
    *("script", "style", "nav", "template", "noscript", "iframe", "object", "embed", "svg", "canvas"),
    *("audio", "video", "img", "button", "select", "textarea", "input", "datalist"),
)
_HIDDEN_STYLES = frozenset(
    {("display", "none"), ("visibility", "hidden"), ("font-size", "0"), ("font-size", "0px"), ("opacity", "0")}
)
_SPACED_OUT = re.compile(r"\n{3,}")
_WORD_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"

_ENCRYPTED_OFFICE = b"\xd0\xcf\x11\xe0"
_PDF_HEAD_WITHIN = 1024
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_HYPHENATED = re.compile(r"(?<=[a-zäöüßéè])-\n(?=[a-zäöüßéè])")
_WRAPPED = re.compile(r"(?<=[^\s.:;!?])[ \t]*\n(?=[a-zäöüßéè(])")
_RULE = re.compile(r"^[ \t]*[-=_*]{2,}[ \t]*$", re.MULTILINE)
_MARKUP = re.compile(r"^([ \t]*)(#{1,6}(?=\s)|[>`~]|\|)", re.MULTILINE)


def convert(kind: str, data: bytes, limits: Limits) -> str:
    """Markdown of one file. `kind` is the suffix without its dot; the data of HTML is UTF-8."""
    return _CONVERTERS[kind](data, limits)


def html(data: bytes, limits: Limits) -> str:
    soup = BeautifulSoup(data.decode("utf-8"), "html.parser")
    if _deeper_than(soup, limits.max_nesting):
        raise SourceError(f"Its elements are nested more than {limits.max_nesting} levels deep.")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for element in soup.find_all(_is_unseen):
        if not element.decomposed:
            element.decompose()
    if soup.head:
        soup.head.decompose()
    _tidy(soup)
    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    body: str = _SPACED_OUT.sub("\n\n", converter.convert_soup(soup)).strip()
    if not body:
        raise SourceError("The page has no text.")
    return f"# {title}\n\n{body}" if title and not soup.find("h1") else body


def _is_unseen(element: Tag) -> bool:
    if element.name in _NOT_CONTENT or element.has_attr("hidden") or element.get("aria-hidden") == "true":
        return True
    style = element.get("style")
    if not isinstance(style, str):
        return False
    pairs = (declaration.partition(":") for declaration in style.lower().replace("!important", "").split(";"))
    return any((name.strip(), value.strip()) in _HIDDEN_STYLES for name, _, value in pairs)


def _tidy(soup: BeautifulSoup) -> None:
    """Links keep their target only where it means something outside the page; a bar in a cell isn't a border."""
    for link in soup.find_all("a"):
        if not str(link.get("href", "")).startswith(("https://", "http://", "mailto:")):
            link.unwrap()
    for cell in soup.find_all(("td", "th")):
        for string in cell.find_all(string=re.compile(r"\|")):
            string.replace_with(NavigableString(string.replace("|", "\\|")))


def _deeper_than(soup: BeautifulSoup, limit: int) -> bool:
    level: list[Tag] = [soup]
    for _ in range(limit + 1):
        level = [child for element in level for child in element.children if isinstance(child, Tag)]
        if not level:
            return False
    return True


def docx(data: bytes, limits: Limits) -> str:
    if data.startswith(_ENCRYPTED_OFFICE):
        raise SourceError("The file is protected by a password, or is an old .doc file.", advice="Save it as .docx.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_archive(archive, limits)
        page: str = mammoth.convert_to_html(
            io.BytesIO(data),
            style_map=_WORD_STYLES,
            include_embedded_style_map=False,
            convert_image=mammoth.images.img_element(lambda _image: {}),
        ).value
    except (zipfile.BadZipFile, ExpatError, KeyError, OSError) as error:
        raise SourceError("The file isn't a Word document, or it is damaged.") from error
    if not page.strip():
        raise SourceError("The document has no text.")
    return html(page.encode("utf-8"), limits)


def _check_archive(archive: zipfile.ZipFile, limits: Limits) -> None:
    entries = archive.infolist()
    if len(entries) > limits.max_entries:
        raise SourceError(f"The archive inside holds more than {limits.max_entries:,} files.")
    if sum(entry.file_size for entry in entries) > limits.max_unpacked_bytes:
        raise SourceError(f"Unpacked it is larger than {limits.max_unpacked_bytes // MIB:,} MiB.")
    for entry in entries:
        if entry.file_size > MIB and entry.file_size > limits.max_ratio * max(1, entry.compress_size):
            raise SourceError("It unpacks to far more than a document needs (a zip bomb).")


def pdf(data: bytes, limits: Limits) -> str:
    if b"%PDF" not in data[:_PDF_HEAD_WITHIN]:
        raise SourceError("The file isn't a PDF, whatever its name says.")
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError("The PDF is protected by a password.")
        if len(reader.pages) > limits.max_pages:
            raise SourceError(f"It has {len(reader.pages):,} pages; the limit is {limits.max_pages:,}.")
        pages = list(_pages(reader, limits))
    except DependencyError as error:
        raise SourceError("The PDF is encrypted.", advice="Save it without protection.") from error
    except LimitReachedError as error:
        raise SourceError("It unpacks to far more than a page needs.") from error
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise SourceError("The PDF is damaged.", advice="Open it and save it anew, or leave it out.") from error
    if not pages:
        raise SourceError("The PDF has no text: it is a scan.", advice="Run it through text recognition (OCR) first.")
    return "\n\n".join(pages)


def _pages(reader: pypdf.PdfReader, limits: Limits) -> Iterator[str]:
    left = limits.max_characters
    for number, page in enumerate(reader.pages, 1):
        text = _plain(page.extract_text())
        left -= len(text)
        if left < 0:
            raise SourceError(f"It holds more than {limits.max_characters:,} characters of text.")
        if text:
            yield f"## Page {number}\n\n{text}"


def _plain(text: str) -> str:
    """A page's lines joined to sentences again; what would read as Markdown is escaped."""
    text = text.replace("\r", "\n").translate(_LIGATURES)
    text = _WRAPPED.sub(" ", _HYPHENATED.sub("", text))
    return _MARKUP.sub(r"\1\\\2", _RULE.sub("", text)).strip()


_CONVERTERS: dict[str, Callable[[bytes, Limits], str]] = {
    "html": html,
    "htm": html,
    "docx": docx,
    "pdf": pdf,
}
