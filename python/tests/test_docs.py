"""The pages of the documentation: their blocks of Python run, in order."""

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))


def blocks(page: Path) -> list[tuple[int, str]]:
    """The Python of a page, each block with its first line."""
    found, lines = [], page.read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if line.strip() == "```python"]
    for start in starts:
        end = lines.index("```", start + 1)
        found.append((start + 1, "\n".join(lines[start + 1 : end])))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    code = blocks(page)
    if not code:
        pytest.skip("has no Python")
    # One file, because scripts are read from the text of a file; its lines are the page's.
    text = ""
    for line, block in code:
        text += "\n" * (line - text.count("\n")) + block + "\n"
    file = tmp_path / f"{page.stem}.py"
    file.write_text(text)
    monkeypatch.chdir(tmp_path)
    exec(compile(text, str(file), "exec"), {"__name__": page.stem, "__file__": str(file)})
