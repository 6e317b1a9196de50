"""The pages of the guide and of the operators: their Python blocks run in order, and print what the `text` block
behind them says.

`UPDATE_EXPECT=1` writes what they print into the pages.
"""

import contextlib
import io
import linecache
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Example:
    """A block of Python, and where the text that it prints stands in the page."""

    line: int
    code: str
    output: tuple[int, int] | None


def examples(page):
    found = []
    for block in FENCE.finditer(page):
        if block[1] == "python":
            found.append(Example(page.count("\n", 0, block.start(2)), block[2], None))
        elif block[1] == "text" and found and not page[: block.start()].rstrip().endswith("<!-- not printed -->"):
            found[-1].output = block.span(2)
    return found


def run(example, name, names):
    """What the block prints. Its text is kept where decorators look for it, on the lines that it has in the page."""
    text = "\n" * example.line + example.code
    file = f"{name} at {example.line + 1}"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, file, "exec"), names)
    return "".join(line.rstrip() + "\n" for line in printed.getvalue().splitlines())


#: The guide, and the reference of the operators.
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("ops/*.md")])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_a_page_print_what_it_says(path, tmp_path, monkeypatch):
    page = path.read_text()
    monkeypatch.chdir(tmp_path)
    names = {"__name__": f"docs_{path.stem}"}
    written, end = "", 0
    for example in examples(page):
        printed = run(example, path.name, names)
        if example.output is None:
            continue
        begin, stop = example.output
        if "UPDATE_EXPECT" in os.environ:
            written, end = written + page[end:begin] + printed, stop
        else:
            assert printed == page[begin:stop], f"{path.name}, line {example.line + 1}"
    if "UPDATE_EXPECT" in os.environ:
        path.write_text(written + page[end:])


def test_the_guide_for_passes_has_examples_with_what_they_print():
    found = examples((DOCS / "passes.md").read_text())
    assert len(found) > 15 and sum(example.output is not None for example in found) > 10
