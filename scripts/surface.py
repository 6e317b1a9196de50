#!/usr/bin/env python3
"""The table of names: which of the names that programs use are there, and of the others why not.

scripts/surface.py          writes docs/surface/README.md from docs/surface/names.txt and the package
scripts/surface.py --check  fails where the table, the notes and the package disagree
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "surface"
# What scripts call by a letter.
LETTERS = {"T": "tvm.script.tir", "R": "tvm.script.relax", "I": "tvm.script.ir"}


@dataclass
class Section:
    """A part of the list: its names by module, and what is said of some."""

    title: str
    modules: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)


def sections(text: str) -> list[Section]:
    """The sections of the list."""
    found: list[Section] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            found.append(Section(line.strip("[]")))
        elif line.startswith(("absent ", "partial ")):
            state, _, rest = line.partition(" ")
            names, _, reason = rest.partition(" - ")
            found[-1].notes.update({name: (state, reason) for name in names.split()})
        else:
            module, _, names = line.partition(":")
            found[-1].modules.setdefault(module, []).extend(names.split())
    return found


def resolve(path: str) -> Any:
    """What a dotted path means in the package: a module, or an attribute of one; None where it means nothing."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for name in parts[count:]:
            if not hasattr(value, name):
                # What an object of the class has is annotated there.
                classes = getattr(value, "__mro__", ())
                return next(
                    (cls.__annotations__[name] for cls in classes if name in vars(cls).get("__annotations__", ())), None
                )
            value = getattr(value, name)
        # What stands for an absent name or module can be imported, and is not there.
        return None if type(value).__name__ in ("Absent", "AbsentModule") else value
    return None


def is_there(module: str, name: str) -> bool:
    """Whether the module and the name in it are there."""
    return resolve(f"{LETTERS.get(module, module)}.{name}" if name else LETTERS.get(module, module)) is not None


def rows(section: Section) -> list[tuple[str, str, str, str]]:
    """Module, name, state and reason of every name of a section."""
    found = []
    for module, names in section.modules.items():
        for name in names or [""]:
            full = f"{module}.{name}" if name else module
            prefixes = [".".join(full.split(".")[:count]) for count in range(len(full.split(".")), 0, -1)]
            state, reason = next((section.notes[p] for p in prefixes if p in section.notes), ("done", ""))
            found.append((module, name, state, reason))
    return found


def table(parts: list[Section]) -> str:
    """The page."""
    every = [row for section in parts for row in rows(section)]
    lines = [
        "# Names",
        "",
        "Which of the names that programs for `import tvm` use are there. Made by `scripts/surface.py` from",
        "`names.txt`; a test compares this page with the package.",
        "",
        "| section | names | done | partial | absent |",
        "|---|---|---|---|---|",
    ]
    for title, of in [*((section.title, rows(section)) for section in parts), ("all", every)]:
        counts = [sum(state == wanted for *_, state, _ in of) for wanted in ("done", "partial", "absent")]
        share = f"{counts[0]} ({100 * counts[0] / len(of):.1f} %)"
        lines.append(f"| {title} | {len(of)} | {share} | {counts[1]} | {counts[2]} |")
    for section in parts:
        lines += ["", f"## {section.title}", "", "| module | done | not done |", "|---|---|---|"]
        for module in section.modules:
            of = [row for row in rows(section) if row[0] == module]
            done = " ".join(f"`{name}`" if name else "the module" for _, name, state, _ in of if state == "done")
            others: dict[tuple[str, str], list[str]] = {}
            for _, name, state, reason in of:
                if state != "done":
                    others.setdefault((state, reason), []).append(f"`{name}`" if name else "the module")
            rest = "; ".join(f"{' '.join(names)}: {state}, {reason}" for (state, reason), names in others.items())
            lines.append(f"| `{module}` | {done} | {rest} |")
    return "\n".join(lines) + "\n"


def disagreements(parts: list[Section]) -> list[str]:
    """Names that are not as the list says."""
    wrong = []
    for section in parts:
        for module, name, state, _ in rows(section):
            if is_there(module, name) != (state != "absent"):
                wrong.append(
                    f"{module}.{name} is said to be {state}, and is {'not ' if state != 'absent' else ''}there"
                )
    return wrong


def main() -> int:
    """Writes or checks the page."""
    sys.path.insert(0, str(FOLDER.parent.parent / "python"))
    importlib.import_module("tilewright.compat.tvm")
    parts = sections((FOLDER / "names.txt").read_text())
    page, path = table(parts), FOLDER / "README.md"
    wrong = disagreements(parts)
    if "--check" in sys.argv:
        if not path.exists() or path.read_text() != page:
            wrong.append(f"{path.name} is not what scripts/surface.py writes")
    else:
        path.write_text(page)
    print("\n".join(wrong) or f"{sum(len(rows(section)) for section in parts)} names as the list says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
