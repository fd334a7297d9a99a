"""Puts documents from beside docs/ into the site, and makes links work there."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]

# Documents that are not in docs/, and what they are called on the site.
BESIDE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "packaging/site/python-reference.md": "python-reference.md",
}

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def on_config(config):
    """Adds the pages of figures to the navigation, behind their index."""
    pages = sorted((ROOT / "docs/figures").glob("*.md"), key=lambda page: page.name)
    figures = [f"figures/{page.name}" for page in pages if page.name != "README.md"]
    for section in config.nav:
        for entries in section.values():
            if isinstance(entries, list):
                for entry in entries:
                    if entry.get("The papers' figures") == "figures.md":
                        entry["The papers' figures"] = ["figures.md", *figures]
    return config


def on_files(files, config):
    """Adds the documents from beside docs/."""
    for source, target in BESIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turns links of the repository into links of the site."""
    source = next((name for name, target in BESIDE.items() if target == page.file.src_uri), None)
    folder = Path(source).parent if source else Path("docs", page.file.src_uri).parent
    return LINK.sub(lambda link: relinked(link, folder, page.file.src_uri), markdown)


def relinked(link, folder, page):
    """Returns the link as the site has it; what has no page there stays as its words."""
    words, target = link.groups()
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return link.group(0)
    path, _, anchor = target.partition("#")
    file = (ROOT / folder / path).resolve()
    if not file.is_relative_to(ROOT) or not file.exists():
        # MkDocs reports it.
        return link.group(0)
    within = file.relative_to(ROOT).as_posix()
    if within in BESIDE:
        place = BESIDE[within]
    elif within.startswith("docs/") and file.is_file():
        place = within.removeprefix("docs/")
    elif within == "docs/figures":
        place = "figures/README.md"
    else:
        return words
    up = "../" * page.count("/")
    return f"[{words}]({up}{place}{'#' + anchor if anchor else ''})"
