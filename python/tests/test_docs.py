"""The guide, the book and the pages of the operators: what stands in them runs, in order.

A `python` block prints what the `text` block behind it says. Behind each `$ tilewright …` of a `console` block stands
what the command line writes. A `rust` or `c` block is a part of the file that the comment above it names, which is
tested itself. Other blocks the book does not have; what `$ cargo xtask …` prints is tested with the sources of `xtask`.

`UPDATE_EXPECT=1` writes what is printed into the pages.
"""

import contextlib
import io
import linecache
import os
import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w*)\n(?P<text>.*?)^(?P=fence)$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)
QUOTED = re.compile(r"<!-- a part of (\S+) -->\s*$")


@dataclass
class Example:
    """A block of Python or a command, and where the text that it prints stands in the page."""

    line: int
    code: str
    output: tuple[int, int] | None
    command: bool = False


def examples(page):
    found = []
    for block in FENCE.finditer(page):
        if block["kind"] == "python":
            found.append(Example(page.count("\n", 0, block.start("text")), block["text"], None))
        elif block["kind"] == "text" and found and not page[: block.start()].rstrip().endswith("<!-- not printed -->"):
            found[-1].output = block.span("text")
        elif block["kind"] == "console":
            for step in COMMAND.finditer(page, *block.span("text")):
                if not step[1].startswith("cargo xtask "):
                    found.append(Example(page.count("\n", 0, step.start()), step[1].strip(), step.span(2), True))
    return found


def run(example, name, names):
    """What the block prints. Its text is kept where decorators look for it, on the lines that it has in the page."""
    text = "\n" * example.line + example.code
    file = f"{name} at {example.line + 1}"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, file, "exec"), names)
    return trimmed(printed.getvalue())


def command(example, python, folder):
    """What the command line writes, to either stream."""
    program, *arguments = shlex.split(example.code)
    assert program == "tilewright", f"`{program}` is no command that the book may run"
    done = python("-m", "tilewright", *arguments, cwd=folder)
    return trimmed(done.stdout + done.stderr)


def trimmed(text):
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def page_of(path):
    """The page as a parameter of tests; one that imports PyTorch carries its mark."""
    marks = [pytest.mark.torch] if "import torch" in path.read_text() else []
    return pytest.param(path, id=path.stem, marks=marks)


BOOK = sorted(DOCS.glob("book/*.md"))
#: The guide, the book, and the reference of the operators.
PAGES = [page_of(path) for path in sorted([*DOCS.glob("*.md"), *BOOK, *DOCS.glob("ops/*.md")])]


@pytest.mark.parametrize("path", PAGES)
def test_the_examples_of_a_page_print_its_text(path, tmp_path, monkeypatch, python):
    page = path.read_text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    names = {"__name__": f"docs_{path.stem}"}
    written, end = "", 0
    for example in examples(page):
        printed = command(example, python, tmp_path) if example.command else run(example, path.name, names)
        if example.output is None:
            assert not printed or path not in BOOK, f"{path.name}, line {example.line + 1}: not in the page: {printed}"
            continue
        begin, stop = example.output
        if "UPDATE_EXPECT" in os.environ:
            written, end = written + page[end:begin] + printed, stop
        else:
            assert printed == page[begin:stop], f"{path.name}, line {example.line + 1}"
    if "UPDATE_EXPECT" in os.environ:
        path.write_text(written + page[end:])


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.stem)
def test_every_block_of_the_book_is_judged(path):
    page = path.read_text()
    judged = {example.output for example in examples(page)}
    for block in FENCE.finditer(page):
        where = f"{path.name}, line {page.count(chr(10), 0, block.start()) + 1}"
        if block["kind"] in ("rust", "c"):
            quoted = QUOTED.search(page[: block.start()])
            assert quoted, f"{where}: the file that this is a part of"
            source = (ROOT / quoted[1]).read_text()
            parts = (textwrap.indent(block["text"], " " * depth) for depth in (0, 4, 8))
            assert any(part in source for part in parts), f"{where}: not in {quoted[1]}"
        elif block["kind"] == "text":
            assert block.span("text") in judged, f"{where}: printed by no block"
        else:
            assert block["kind"] in ("python", "console"), f"{where}: `{block['kind']}` blocks are not judged"


@pytest.mark.parametrize("path", [DOCS / "README.md", *BOOK], ids=lambda path: path.parent.name + "/" + path.stem)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", FENCE.sub("", path.read_text())):
        assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_index_lists_every_chapter():
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "book" / "README.md").read_text())
    assert sorted(listed) == [path.name for path in BOOK if path.stem != "README"]


def test_the_guide_for_passes_has_examples_with_output():
    found = examples((DOCS / "passes.md").read_text())
    assert len(found) > 15 and sum(example.output is not None for example in found) > 10
