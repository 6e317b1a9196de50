#!/usr/bin/env python3
"""The reference of the operators, and the table of how they are judged.

scripts/ops.py          writes docs/ops from the table of operators, docs/ops/names.txt and the samples of the tests
scripts/ops.py --check  fails where a page says anything else

A page for each family has for each operator its signature, what inference says of a sample, and a sample as an example,
with what it prints. The tests run the examples, and all samples that the table counts.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "ops"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "tests")]

import numpy as np  # noqa: E402
from op_references import REFERENCES, judge  # noqa: E402

from tilewright import _core, relax  # noqa: E402

TITLES = {
    "unary": "One tensor, element by element", "binary": "Several tensors, element by element", "create": "Creation",
    "linear_algebra": "Linear algebra", "manipulate": "Shapes", "indexed": "Indices", "statistical": "Statistics",
    "sorting": "Sorting", "set": "Sets", "search": "Search", "sampling": "Sampling", "nn": "Networks",
    "image": "Images", "quantization": "Quantisation", "grad": "Gradients",
    "inspect": "Properties of tensors", "system": "System", "builtin": "What lowering makes", "memory": "Memory",
    "vm": "The virtual machine",
}  # fmt: skip
#: What the examples of a page begin with.
PREAMBLE = '''\
import numpy as np
import tilewright as tw
from tilewright import relax
from tilewright.script import relax as R, tir as T

np.set_printoptions(precision=4, suppress=True)


def run(function, *arrays):
    """Compiles the function and prints what it gives for these arrays."""
    machine = relax.VirtualMachine(relax.build(tw.IRModule({"main": function})), tw.cpu())
    result = machine["main"](*arrays)
    for tensor in result if isinstance(result, (list, tuple)) else [result]:
        print(tensor.numpy() if hasattr(tensor, "numpy") else tensor)
'''


@dataclass
class Section:
    """A part of the list of names, and what is said of some."""

    title: str
    names: list[str] = field(default_factory=list)
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)


def sections(text: str) -> list[Section]:
    """The sections of the list."""
    found: list[Section] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            found.append(Section(line.strip("[]")))
        elif line.startswith(("absent ", "partial ", "elsewhere ")):
            state, _, rest = line.partition(" ")
            names, _, reason = rest.partition(" - ")
            found[-1].notes.update({name: (state, reason) for name in names.split()})
        else:
            found[-1].names += line.split()
    return found


@cache
def described(name: str) -> tuple:
    """What the core says of an operator: page, documentation, arguments, attributes, fusion, purity, who does it."""
    return _core.op_reference(name)


def is_there(name: str) -> bool:
    """Whether programs find the operator."""
    place: Any = relax.op
    for part in name.split("."):
        place = getattr(place, part, None)
    return place is not None


def row(section: Section, name: str) -> tuple[str, str, judge.Count | None]:
    """State and remark of a name, and how it is judged."""
    state, reason = section.notes.get(name, ("", ""))
    if not is_there(name):
        return "absent", reason if state == "absent" else "not there yet", None
    counted = judge.count(name) if name in REFERENCES and name in judge.names() else None
    if counted is None and state not in ("elsewhere", "partial"):
        return "partial", "without samples", None
    return ("partial", reason, counted) if state == "partial" else ("done", reason, counted)


def link(name: str) -> str:
    """The name, with its place on its page."""
    known = name in _core.graph_op_names()
    return f"[`{name}`]({described(name)[0]}.md#{anchor(name)})" if known else f"`{name}`"


def anchor(name: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^a-z0-9_ -]", "", f"r{name}".lower())


def table(parts: list[Section]) -> str:
    """The page with the table."""
    rows = {(section.title, name): row(section, name) for section in parts for name in section.names}
    listed = {name for section in parts for name in section.names}
    others = Section("Others", [name for name in judge.names() if name not in listed])
    rows |= {(others.title, name): row(others, name) for name in others.names}
    parts = [*parts, others] if others.names else parts
    judged = [count for _, _, count in rows.values() if count]
    lines = [
        "# Operators",
        "",
        "Which of the operators that programs use are there, and how each is judged. Made by `scripts/ops.py` from the",
        "table of operators, `names.txt` and the samples of the tests; a test compares this page with them.",
        "",
        "A *sample* is a call with arguments of one shape and element type each. For every sample the tests compare",
        "the inferred type, the result of the reference interpreter, those of compiled code on the processor and on",
        "the test device, and that of NumPy or PyTorch (`python/tests/test_ops.py`); of *symbolic* samples the sizes",
        "are variables: equal sizes one, and every size one of its own. *Size 0* and *size 1* count samples with such",
        "dimensions, the others being odd and even ones; *NaN, inf* those with floats that are not finite. *Types* are",
        "the element types that inference takes, all of which have samples; float8 is none of them. *Ranks* are those",
        "of the first tensor; behind *not* stand ranks up to 5 that inference takes as well.",
        "",
        "Every operator is also typed with arguments of unknown sizes, rank and element type: inference refuses, or",
        "claims nothing that does not hold. And what inference refuses of sizes that it knows, the run refuses where",
        "they are variables.",
        "",
        f"{len(judged)} operators are judged by {sum(count.samples for count in judged)} samples, "
        f"{sum(count.symbolic for count in judged)} of them symbolic.",
        "",
        "| section | names | done | partial | absent |",
        "|---|---|---|---|---|",
    ]
    asked = [section.title for section in parts]
    for title in [*asked, "all"]:
        states = [state for (own, _), (state, _, _) in rows.items() if title in (own, "all")]
        counts = " | ".join(str(states.count(state)) for state in ("done", "partial", "absent"))
        lines.append(f"| {title} | {len(states)} | {counts} |")
    lines += ["", "The pages of the families:", ""]
    lines += [f"- [{TITLES.get(page, page)}]({page}.md)" for page in pages_of_table()]
    for section in parts:
        lines += ["", f"## {section.title}", "", *section_rows(section, rows)]
    return "\n".join(lines) + "\n"


def section_rows(section: Section, rows: dict) -> Iterator[str]:
    """The table of a section."""
    yield "| operator | state | samples | symbolic | size 0 | size 1 | NaN, inf | types | ranks | reference |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for name in section.names:
        state, reason, count = rows[section.title, name]
        said = f"{state}: {reason}" if reason else state
        if count is None:
            yield f"| {link(name)} | {said} | | | | | | | | |"
            continue
        types, ranks = short(count.dtypes), ", ".join(map(str, count.ranks))
        ranks += f"; not {', '.join(map(str, count.lacking))}" if count.lacking else ""
        numbers = (count.samples, count.symbolic, count.empty, count.single, count.special)
        yield f"| {link(name)} | {said} | {' | '.join(map(str, numbers))} | {types} | {ranks} | {count.judge} |"


def short(dtypes: list[str]) -> str:
    """Element types in few words: `float16 bfloat16 32 64` says the four."""
    words: list[str] = []
    for dtype in sorted(dtypes, key=lambda d: ("bool", "int", "uint", "float", "bfloat").index(d.rstrip("0123456789"))):
        kind = dtype.rstrip("0123456789")
        again = any(word.startswith(kind) for word in words if word[:1].isalpha())
        words.append(dtype.removeprefix(kind) if again else dtype)
    return " ".join(words)


def pages_of_table() -> list[str]:
    """The pages, in the order of the table of operators."""
    return list(dict.fromkeys(described(name)[0] for name in _core.graph_op_names()))


def signature(name: str) -> str:
    """The call with its parameters, as Python writes it."""
    parameters, _ = _core.op_signature(name)
    parts = [own if default is None else f"{own}={default}" for own, default in parameters]
    return f"relax.op.{name}({', '.join(parts)})"


def listed(name: str) -> list[str]:
    """What the arguments and attributes are."""
    _, _, args, attrs, *_ = described(name)
    if not args and not attrs:
        return []
    rows = [f"| `{own}` | {kind} | {doc.replace('|', chr(92) + '|')} |" for own, kind, doc in [*args, *attrs]]
    return ["| parameter | is | |", "|---|---|---|", *rows, ""]


def rule(name: str) -> list[str]:
    """What inference says of one call, and which element types it takes."""
    every = judge.runs(name)
    shown = [run for run in every if run.dims == "equal"] or every[:1]
    chosen = min(shown, key=lambda run: (sum(array.size == 0 for array in run.arrays), abs(len(str(run.call)) - 20)))
    given = ", ".join(f"`{param.struct_info}`" for param in chosen.params) or "no tensors"
    types = short(judge.count(name).dtypes)
    found = ", ".join(f"`{info}`" for info in chosen.infos)
    call = str(chosen.call)
    call = call if len(call) < 90 else f"R.{name}(…)"
    return [f"Rule: of {given}, the call `{call}` gives {found}.", "", f"Element types: {types}.", ""]


def example(name: str) -> str | None:
    """The example of an operator: the smallest sample that shows something."""
    fitting = [run for run in judge.runs(name) if run.dims == "sizes" and "bfloat16" not in run.dtypes]
    if not fitting:
        return None
    chosen = min(fitting, key=plainness)
    arrays = [shown_array(array) for array in chosen.arrays]
    _, _, args, *_ = described(name)
    named = [own for own, kind, _ in args if kind == "a tensor"]
    own = named if len(named) == len(arrays) else [f"x{i}" for i in range(len(arrays))]
    params = [relax.Var(n, relax.TensorStructInfo(a.shape, str(a.dtype))) for n, a in zip(own, arrays, strict=True)]
    head = spread("def example(", [f"{param.name_hint}: {param.struct_info}" for param in params], "):")
    call = chosen.sample.call(*params)
    shown = spread("run(", ["example", *map(literal, arrays)], ")")
    return f"@R.function\n{head}\n    return {call}\n\n\n{shown}\n"


def spread(begin: str, parts: list[str], end: str) -> str:
    """Parts between brackets, over several lines where one is too narrow."""
    line = f"{begin}{', '.join(parts)}{end}"
    return line if len(line) <= 110 else "\n".join([begin, *(f"    {part}," for part in parts), end])


def plainness(run: judge.Run) -> tuple:
    """How far a sample is from one that is read easily."""
    sizes = [array.size for array in run.arrays]
    empty = any(size == 0 for size in sizes) or any(0 in found.shape for found, _ in run.expected())
    special = any(array.dtype.kind == "f" and not (np.abs(array) < 100).all() for array in run.arrays)
    rank = max((array.ndim for array in run.arrays), default=1)
    odd = any(dtype not in ("float32", "int64", "bool") for dtype in run.dtypes)
    largest = max(sizes, default=4)
    idle = any(np.array_equal(found, array) for found, _ in run.expected()[:1] for array in run.arrays[:1])
    return empty, rank == 0, special, odd, idle, largest < 3, max(largest - 12, 0), sum(sizes), len(str(run.call.attrs))


def shown_array(array: np.ndarray) -> np.ndarray:
    """The array with numbers that are written shortly."""
    if array.dtype.kind == "f" and array.size > 24:
        steps = np.linspace(-1, 1, array.size, dtype=array.dtype)
        return steps.reshape(array.shape)
    return np.round(array, 1) if array.dtype.kind == "f" else array


def literal(array: np.ndarray) -> str:
    """The array as Python writes it."""
    if array.dtype.kind == "f" and array.size > 24:
        return f'np.linspace(-1, 1, {array.size}, dtype="{array.dtype}").reshape({", ".join(map(str, array.shape))})'
    shown = np.round(array.astype(np.float64), 1) if array.dtype.kind == "f" else array
    text = repr(shown.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return f'np.array({text}, "{array.dtype}")'


def printed(code: str, names: dict[str, Any]) -> str:
    """What a block of the page prints."""
    out = io.StringIO()
    file = f"example {len(linecache.cache)}"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    with contextlib.redirect_stdout(out):
        exec(compile(code, file, "exec"), names)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def page(family: str) -> str:
    """The page of a family."""
    own = [name for name in _core.graph_op_names() if described(name)[0] == family]
    judged = [name for name in own if name in REFERENCES and name in judge.names()]
    lines = [f"# {TITLES.get(family, family)}", "", "Made by `scripts/ops.py`; the tests run the examples.", ""]
    names: dict[str, Any] = {"__name__": f"docs_ops_{family}"}
    if judged:
        lines += ["```python", PREAMBLE.rstrip(), "```", ""]
        exec(compile(PREAMBLE, "preamble", "exec"), names)
    for name in own:
        lines += entry(name, name in judged, names)
    return "\n".join(lines).rstrip() + "\n"


def entry(name: str, is_judged: bool, names: dict[str, Any]) -> list[str]:
    """What the page says of an operator."""
    _, doc, _, _, fusion, pure, by_machine = described(name)
    text = "\n".join(line.strip() for line in doc.strip().splitlines())
    lines = [f"## `R.{name}`", "", "```", signature(name), "```", "", text, "", *listed(name)]
    if is_judged:
        lines += rule(name)
    maker = "Done by the virtual machine" if by_machine else f"Fusion: {fusion}"
    lines += [f"{maker}; {'pure' if pure else 'with side effects'}.", ""]
    found = example(name) if is_judged else None
    if found is not None:
        lines += ["```python", found.rstrip(), "```", "", "```text", printed(found, names).rstrip(), "```", ""]
    return lines


def pages() -> dict[Path, str]:
    """All pages."""
    parts = sections((FOLDER / "names.txt").read_text())
    every = {FOLDER / "README.md": table(parts)}
    return every | {FOLDER / f"{family}.md": page(family) for family in pages_of_table()}


def main() -> int:
    """Writes or checks the pages."""
    every = pages()
    if "--check" in sys.argv:
        wrong = [path.name for path, text in every.items() if not path.exists() or path.read_text() != text]
        wrong += [path.name for path in FOLDER.glob("*.md") if path not in every]
        print(
            "\n".join(f"docs/ops/{name} is not what scripts/ops.py writes" for name in wrong)
            or "docs/ops is as it should be"
        )
        return 1 if wrong else 0
    for path in FOLDER.glob("*.md"):
        if path not in every:
            path.unlink()
    for path, text in every.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
