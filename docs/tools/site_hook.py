"""Hook of MkDocs: what is outside ``docs/`` becomes part of the site, notebooks become pages."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "LICENSE")
FIRST_PAGES = {"README.md": "index.md", "README.uk.md": "uk.md", "README.ru.md": "ru.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the project's folder, the reports with their figures, and the notebooks."""
    for name in (*FIRST_PAGES, *OTHERS):
        text = (ROOT / name).read_text("utf-8").replace("](docs/README.md)", "](contents.md)")
        text = _first_pages(text).replace("](docs/", "](")
        text = re.sub(r"\[([\w.]+)\]\(infostream_dedup/[^)]+\)", r"`\1`", text)  # sources are no part of the site
        files.append(File.generated(config, FIRST_PAGES.get(name, name), content=text))
    # The first page of the site is that of the project; the list of pages gets a name of its own.
    listed = files.get_file_from_path("README.md")
    assert listed is not None  # noqa: S101
    files.remove(listed)
    text = _first_pages((ROOT / "docs" / "README.md").read_text("utf-8"))
    files.append(File.generated(config, "contents.md", content=text.replace("](../", "](")))
    for name, text in _generated_pages().items():
        place = f"reference/{name}"
        if (old := files.get_file_from_path(place)) is not None:
            files.remove(old)
        files.append(File.generated(config, place, content=text))
    reports = ROOT / "reports"
    for path in sorted(reports.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            place = path.relative_to(ROOT).as_posix()
            if path.suffix == ".md":
                text = path.read_text("utf-8").replace("](../docs/", "](../")
                files.append(File.generated(config, place, content=_first_pages(text)))
            else:
                files.append(File.generated(config, place, abs_src_path=str(path)))
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        place = path.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        files.append(File.generated(config, place, content=notebook_page(path)))
    return files


_PAGES: dict[str, tuple[str, str]] = {}
"""Title and text of each page by its place, for programs that read."""


def on_post_build(config: Any) -> None:
    """Write each page as Markdown beside its HTML, and ``llms.txt``, which lists them."""
    site, base = Path(config.site_dir), (config.site_url or "").rstrip("/")
    lines = [f"# {config.site_name}", f"\n> {config.site_description}", "\n## Pages\n"]
    for place, (title, text) in sorted(_PAGES.items()):
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        (site / place).write_text(text, encoding="utf-8")
        lines.append(f"- [{title}]({base}/{place})")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _generated_pages() -> dict[str, str]:
    """The reference of commands, errors and Python, from the package itself."""
    found = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "tools" / "make_reference.py")
    assert found is not None and found.loader is not None  # noqa: PT018, S101
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    pages: dict[str, str] = module.pages()
    return pages


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Point links to the project's folder at the pages of the site."""
    if not page.file.generated_by:
        deep = page.file.src_uri.count("/")
        markdown = _first_pages(markdown.replace(f"]({'../' * (deep + 1)}", f"]({'../' * deep}"))
    if page.file.src_uri == "contents.md":
        markdown = re.sub(r"- (Command line|Errors|Python): ", _named_reference, markdown)
    _PAGES[page.file.src_uri] = str(page.title), markdown.replace(".ipynb)", ".md)")
    return _PAGES[page.file.src_uri][1]


def _named_reference(found: re.Match[str]) -> str:
    return f"- [{found[1]}](reference/{found[1].lower().replace(' ', '-')}.md): "


def on_page_content(html: str, **_: Any) -> str:
    """A corner of a table without a word is no heading."""
    return re.sub(r"<th([^>]*)></th>", r"<td\1></td>", html)


def on_post_page(output: str, **_: Any) -> str:
    """A page with its dialog named."""
    return _named_dialog(output)


def on_post_template(output_content: str, **_: Any) -> str:
    """The page of a wrong address, likewise."""
    return _named_dialog(output_content)


def _named_dialog(output: str) -> str:
    """Name the dialog of the search for screen readers, as the theme does not."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def _first_pages(text: str) -> str:
    """Links to the first pages under the names that they have in the site."""
    return re.sub(r"\((\.\./)*README(\.uk|\.ru)?\.md\)", _renamed, text) if "README" in text else text


def _renamed(found: re.Match[str]) -> str:
    name = {None: "index.md", ".uk": "uk.md", ".ru": "ru.md"}[found[2]]
    return found[0].replace(f"README{found[2] or ''}.md", name)


def notebook_page(path: Path) -> str:
    """A notebook as Markdown: text, code, and what the code showed."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(
            source.replace("](../../", "](../") if cell["cell_type"] == "markdown" else _fenced("python", source)
        )
        parts.extend(map(_shown, cell.get("outputs", ())))
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    """What a cell printed, or its value: as a table if it is one."""
    if output["output_type"] == "stream":
        return _fenced("text", "".join(output["text"]))
    data = output["data"]
    return "".join(data["text/html"]) if "text/html" in data else _fenced("text", "".join(data["text/plain"]))


def _fenced(kind: str, text: str) -> str:
    return f"```{kind}\n{text.rstrip()}\n```"
