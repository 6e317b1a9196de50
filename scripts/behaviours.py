#!/usr/bin/env python3
"""The table of behaviours: the parameters of TVM's functions of 2024, and the errors that calls raise, against ours.

scripts/behaviours.py          writes docs/surface/behaviours.md from docs/surface/behaviours.txt and the package
scripts/behaviours.py --check  fails where the table, the list and the package disagree
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "surface"
HEAD = """# Behaviours

Which parameters of the public functions and classes of TVM's Python API of August 2024 are taken, by name, and which
errors calls raise. Made by `scripts/behaviours.py` from `behaviours.txt`; a test compares this page with the package.
"""


@dataclass
class Expected:
    """What the list says."""

    #: Parameters by the path of a function.
    params: dict[str, list[str]] = field(default_factory=dict)
    #: Why a parameter of a function is not taken.
    differs: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Calls, each with the classes of its exception.
    errors: list[tuple[list[str], str]] = field(default_factory=list)


def read(text: str) -> Expected:
    """The list."""
    expected, module = Expected(), ""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, rest = line.partition(": ")
        if line.startswith("["):
            module = line.strip("[]")
        elif line.startswith("differs "):
            names, _, reason = line.removeprefix("differs ").partition(" - ")
            path, *params = names.split()
            expected.differs.update({(path, param): reason for param in params})
        elif module == "Errors":
            expected.errors.append((name.split(), rest))
        else:
            expected.params[f"{module}.{name}"] = rest.split()
    return expected


def resolve(path: str) -> Any:
    """What a dotted path means in the package."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for name in parts[count:]:
            value = getattr(value, name)
        return value
    raise AttributeError(path)


def not_taken(path: str, params: list[str]) -> list[str]:
    """The parameters that the function does not take by name; all of them where there is no such function."""
    named = [param.removesuffix("=") for param in params if not param.startswith("*")]
    try:
        own = inspect.signature(resolve(path)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return named
    if any(param.kind is inspect.Parameter.VAR_KEYWORD for param in own):
        return []
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {param.name for param in own if param.kind in by_name}
    return [name for name in named if name not in known]


def namespace() -> dict[str, Any]:
    """The names that calls are written with."""
    import numpy as np

    import tilewright as tvm
    from tilewright import relax, te, tir
    from tilewright.script import ir
    from tilewright.script import relax as graphs
    from tilewright.script import tir as loops

    return {"I": ir, "R": graphs, "T": loops, "np": np, "relax": relax, "te": te, "tir": tir, "tvm": tvm}


def raised(call: str, names: dict[str, Any]) -> BaseException | None:
    """The exception of a call."""
    try:
        eval(call, dict(names))
    except Exception as error:
        return error
    return None


def is_one(error: BaseException | None, classes: list[str]) -> bool:
    """Whether the exception is of one of the classes: Python's own, or TVM's."""
    import tilewright.error

    found = tuple(getattr(builtins, name, None) or getattr(tilewright.error, name) for name in classes)
    return isinstance(error, found)


def disagreements(expected: Expected) -> list[str]:
    """What is not as the list says."""
    wrong = []
    for path, params in expected.params.items():
        missing = not_taken(path, params)
        for name in missing:
            if (path, name) not in expected.differs:
                wrong.append(f"{path} does not take `{name}`")
        said = [name for where, name in expected.differs if where == path]
        wrong += [f"{path} is said not to take `{name}`, and takes it" for name in said if name not in missing]
    names = namespace()
    for classes, call in expected.errors:
        error = raised(call, names)
        if not is_one(error, classes):
            wrong.append(f"{call} raises {error!r}, expected {' or '.join(classes)}")
    return wrong


def table(expected: Expected) -> str:
    """The page."""
    modules: dict[str, list[str]] = {}
    for path in expected.params:
        modules.setdefault(path.rpartition(".")[0], []).append(path)
    lines = [HEAD, "## Parameters", "", "| module | functions | parameters | taken |", "|---|---|---|---|"]
    total = [0, 0, 0]
    for module, paths in [*sorted(modules.items())]:
        counts = [len(paths), 0, 0]
        for path in paths:
            named = [param for param in expected.params[path] if not param.startswith("*")]
            counts[1] += len(named)
            counts[2] += len(named) - sum(where == path for where, _ in expected.differs)
        total = [before + own for before, own in zip(total, counts, strict=True)]
        lines.append(f"| `{module}` | {counts[0]} | {counts[1]} | {counts[2]} |")
    lines.append(f"| all | {total[0]} | {total[1]} | {total[2]} ({100 * total[2] / total[1]:.1f} %) |")
    lines += ["", "## Parameters that are not taken", "", "| function | parameters | reason |", "|---|---|---|"]
    reasons: dict[tuple[str, str], list[str]] = {}
    for (path, name), reason in expected.differs.items():
        reasons.setdefault((path, reason), []).append(f"`{name}`")
    lines += [f"| `{path}` | {' '.join(names)} | {reason} |" for (path, reason), names in sorted(reasons.items())]
    lines += ["", "## Errors", "", "| call | raises |", "|---|---|"]
    for classes, call in expected.errors:
        text = call.replace("|", "\\|")
        lines.append(f"| `{text}` | {' or '.join(f'`{name}`' for name in classes)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes or checks the page."""
    sys.path.insert(0, str(FOLDER.parent.parent / "python"))
    importlib.import_module("tilewright.compat.tvm")
    expected = read((FOLDER / "behaviours.txt").read_text())
    page, path = table(expected), FOLDER / "behaviours.md"
    wrong = disagreements(expected)
    if "--check" in sys.argv:
        if not path.exists() or path.read_text() != page:
            wrong.append(f"{path.name} is not what scripts/behaviours.py writes")
    else:
        path.write_text(page)
    print("\n".join(wrong) or f"{len(expected.params)} functions and {len(expected.errors)} errors as the list says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
