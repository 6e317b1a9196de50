#!/usr/bin/env python3
"""The type stubs of what Python files do not say: the extension, and the modules whose functions are made at import.

scripts/stubs.py          writes them
scripts/stubs.py --check  fails where they are not what is there

Signatures and documentation are those of the live objects. The types of the extension's parameters and results are
kept from its stub, where people write them: what has none yet is `Any`, or the type of its default.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "tilewright"
WIDTH = 120
# What Python itself calls, and how.
SPECIAL = {
    "__add__": "other", "__and__": "other", "__array__": "", "__bool__": "", "__call__": "*args, **kwargs",
    "__contains__": "key", "__copy__": "", "__deepcopy__": "", "__delitem__": "key", "__dlpack__": "",
    "__dlpack_device__": "", "__eq__": "other", "__float__": "", "__ge__": "other", "__getitem__": "key",
    "__gt__": "other", "__hash__": "", "__int__": "", "__invert__": "", "__iter__": "", "__le__": "other",
    "__len__": "", "__lt__": "other", "__mul__": "other", "__ne__": "other", "__or__": "other", "__radd__": "other",
    "__rshift__": "other", "__setitem__": "key, value", "__sub__": "other", "__truediv__": "other", "__xor__": "other",
}  # fmt: skip
RESULTS = {
    "__bool__": "bool", "__contains__": "bool", "__delitem__": "None", "__eq__": "bool", "__float__": "float",
    "__ge__": "bool", "__gt__": "bool", "__hash__": "int", "__int__": "int", "__le__": "bool", "__len__": "int",
    "__lt__": "bool", "__ne__": "bool", "__setitem__": "None",
}  # fmt: skip
# Comparisons and conversions to text are every object's.
LEFT_OUT = {"__repr__", "__str__", "__reduce__", "__new__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}


class Known:
    """The types in a stub: of parameters and results, by the function's dotted name."""

    def __init__(self, path: Path) -> None:
        self.parameters: dict[tuple[str, str], str] = {}
        self.results: dict[str, str] = {}
        self.signatures: dict[str, str] = {}
        tree = ast.parse(path.read_text() if path.exists() else "")
        for node in tree.body:
            self._of(node, "")
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                self._of(inner, f"{node.name}.")

    def _of(self, node: ast.stmt, prefix: str) -> None:
        if isinstance(node, ast.FunctionDef):
            name = prefix + node.name
            self.signatures[name] = ast.unparse(node.args)
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            for arg in every:
                if arg is not None and arg.annotation is not None:
                    self.parameters[name, arg.arg] = ast.unparse(arg.annotation)
            if node.returns is not None:
                self.results[name] = ast.unparse(node.returns)


def signature(value: Any) -> inspect.Signature | None:
    """The signature that a live object says it has."""
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def default_type(parameter: inspect.Parameter) -> str:
    """The type of a default, where that says anything."""
    default = parameter.default
    plain = type(default).__name__ if isinstance(default, (bool, int, float, str)) else "Any"
    return "Any" if default is inspect.Parameter.empty or default is None else plain


def parameters(known: Known, name: str, found: inspect.Signature | None, receiver: str) -> str:
    """What stands between the parentheses of a definition."""
    parts = [receiver] if receiver else []
    own = [p for p in found.parameters.values() if p.name not in ("self", "cls")] if found else []
    keyword_only = False
    for parameter in own:
        kind = parameter.kind
        if kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in own):
                parts.append("*")
        keyword_only = keyword_only or kind is inspect.Parameter.VAR_POSITIONAL
        stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(kind, "")
        # What makes an object may be written as what prepares one.
        kept = known.parameters.get((name.replace("__new__", "__init__"), parameter.name))
        annotation = known.parameters.get((name, parameter.name), kept or default_type(parameter))
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}".replace("'", '"')
        parts.append(f"{stars}{parameter.name}: {annotation}{default}")
    if not found and not receiver:
        return "*args: Any, **kwargs: Any"
    return ", ".join(parts)


def documentation(text: str | None, indent: int) -> str:
    """A docstring at this indentation, filled; nothing where there is none."""
    paragraphs = [part for part in re.split(r"\n\s*\n", (text or "").strip()) if part.strip()]
    if not paragraphs:
        return ""
    pad = " " * indent
    quoted = [paragraph.replace("\\", "\\\\").replace('"""', "'''") for paragraph in paragraphs]
    filled = [fill(part, indent) for part in quoted]
    body = textwrap.indent("\n\n".join(filled), pad).strip()
    return f'{pad}"""{body}"""\n' if "\n" not in body else f'{pad}"""{body}\n{pad}"""\n'


def fill(paragraph: str, indent: int) -> str:
    """A paragraph in lines that fit; what is said of each parameter begins a line."""
    lines = paragraph.splitlines()
    parts = lines if all(re.match(r"\w+: ", line) for line in lines) else [" ".join(paragraph.split())]
    return "\n".join(textwrap.fill(part, WIDTH - indent - 6, break_long_words=False) for part in parts)


def definition(line: str, arguments: str, result: str, doc: str | None, indent: int) -> str:
    """A definition; over several lines where one is too narrow."""
    pad, text = " " * indent, documentation(doc, indent + 4)
    head = f"{pad}def {line}({arguments}) -> {result}:"
    if len(head) > WIDTH - 4:
        rows = "".join(f"{pad}    {part},\n" for part in split(arguments))
        head = f"{pad}def {line}(\n{rows}{pad}) -> {result}:"
    return f"{head}\n{text}" if text else f"{head} ...\n"


def split(arguments: str) -> Iterator[str]:
    """The parts between commas that are in no bracket."""
    depth, start = 0, 0
    for at, letter in enumerate(arguments):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            yield arguments[start:at].strip()
            start = at + 1
    yield arguments[start:].strip()


def function_stub(known: Known, name: str, value: Any, owner: str = "") -> str:
    """The stub of a function or method."""
    full, indent = (f"{owner}.{name}", 4) if owner else (name, 0)
    result = known.results.get(full, RESULTS.get(name, "Any"))
    if isinstance(value, staticmethod):
        found, receiver, mark = signature(value.__func__), "", "    @staticmethod\n"
    elif type(value).__name__ == "classmethod_descriptor":
        found, receiver, mark = signature(value), "cls", "    @classmethod\n"
    else:
        found, receiver, mark = signature(value), "self" if owner else "", ""
    wrapped = found is None or type(value).__name__ == "wrapper_descriptor"
    if name in SPECIAL and wrapped and full in known.signatures:
        arguments = known.signatures[full]
    elif name in SPECIAL and wrapped:
        named = [part for part in SPECIAL[name].split(", ") if part]
        arguments = ", ".join(["self", *(f"{part}: Any" for part in named)])
    else:
        arguments = parameters(known, full, found, receiver)
    doc = "" if name in SPECIAL else getattr(getattr(value, "__func__", value), "__doc__", "")
    return mark + definition(name, arguments, result, doc, indent)


def class_stub(known: Known, cls: type) -> str:
    """The stub of a class of the extension."""
    name, body = cls.__name__, []
    if (found := signature(cls)) is not None and "__new__" in vars(cls):
        arguments = parameters(known, f"{name}.__new__", found, "cls")
        body.append(definition("__new__", arguments, "Self", "", 4))
    for member, value in sorted(vars(cls).items()):
        if type(value).__name__ == "getset_descriptor" and member != "__dict__":
            result = known.results.get(f"{name}.{member}", "Any")
            body.append("    @property\n" + definition(member, "self", result, value.__doc__, 4))
        elif isinstance(value, (int, dict)) and not member.startswith("_"):
            body.append(f"    {member}: {type(value).__name__}\n")
        elif callable(value) or isinstance(value, staticmethod) or type(value).__name__ == "classmethod_descriptor":
            # What Python files add to a class has its annotations there.
            added = isinstance(value, FunctionType)
            special = member.startswith("__")
            if member in LEFT_OUT or (special and member not in SPECIAL and member != "__init_subclass__"):
                continue
            body.append(python_stub(member, value, 4) if added else function_stub(known, member, value, name))
    final = "" if cls.__flags__ & (1 << 10) else "@final\n"
    text = documentation(cls.__doc__, 4)
    # Only documentation stands apart from what follows it.
    parted = "".join(member + ("\n" if member.endswith('"""\n') else "") for member in body).rstrip("\n")
    return f"{final}class {name}:\n{text}" + ("\n" if text else "") + (parted or "    ...") + "\n"


def python_stub(name: str, value: Any, indent: int = 0) -> str:
    """The stub of a function of a Python file: its own signature."""
    found = signature(value)
    if found is None:
        return definition(name, "*args: Any, **kwargs: Any", "Any", value.__doc__, indent)
    parts, keyword_only = [], False
    for parameter in found.parameters.values():
        kind, stars = parameter.kind, ""
        if kind is inspect.Parameter.VAR_POSITIONAL:
            stars, keyword_only = "*", True
        elif kind is inspect.Parameter.VAR_KEYWORD:
            stars = "**"
        elif kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        written = parameter.annotation
        annotation = written if isinstance(written, str) else default_type(parameter)
        if parameter.name == "self" and indent:
            parts.append("self")
            continue
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}".replace("'", '"')
        parts.append(f"{stars}{parameter.name}: {annotation}{default}")
    result = found.return_annotation if isinstance(found.return_annotation, str) else "Any"
    return definition(name, ", ".join(parts), result, value.__doc__, indent)


def extension() -> str:
    """The stub of the extension."""
    from tilewright import _core

    known = Known(PACKAGE / "_core.pyi")
    parts = ['"""The compiled core: what `crates/tilewright-py` gives to Python. Made by `scripts/stubs.py`."""\n']
    body = ["__version__: str\n"]
    for name, value in vars(_core).items():
        if isinstance(value, type):
            body.append(class_stub(known, value))
        elif isinstance(value, BuiltinFunctionType) and not name.startswith("__"):
            body.append(function_stub(known, name, value))
    text = "\n".join(body)
    return "\n".join(parts) + imports(text) + own_imports(text, "tilewright._core") + "\n" + text


#: Where the names in annotations come from.
SOURCES = {
    "collections.abc": ("Callable", "Iterable", "Iterator", "Mapping", "Sequence"),
    "os": ("PathLike",),
    "typing": ("Any", "Self", "final"),
}


def imports(text: str) -> str:
    """The imports of the names that a stub's annotations use."""
    lines = []
    for module, names in SOURCES.items():
        used = [name for name in names if re.search(rf"\b{name}\b", annotations(text))]
        if used:
            lines.append(f"from {module} import {', '.join(used)}\n")
    return "\n" + "".join(lines)


#: Where what the stubs of Python modules name is.
OWN = {
    "tilewright._core": ("DFPattern", "IRModule", "Pass"),
    "tilewright.ir.module": ("GlobalVar",),
    "tilewright.ir.op": ("Op",),
    "tilewright.relax.dpl.pattern": ("PatternSeq",),
    "tilewright.ir.global_info": ("VDevice",),
    "tilewright.relax.backend.pattern_registry": ("FusionPattern",),
    "tilewright.relax.expr": ("Call", "Expr", "Function", "PrimValue", "ShapeExpr", "Tuple"),
    "tilewright.relax.frontend.nn.core": ("Tensor",),
    "tilewright.relax.struct_info": ("StructInfo",),
    "tilewright.tir.expr": ("Var",),
    "tilewright.tir.function": ("IndexMap", "PrimFunc"),
}


def own_imports(text: str, here: str) -> str:
    """The imports of the package's own names that a stub's annotations use."""
    lines = []
    for source, names in OWN.items():
        used = [name for name in names if re.search(rf"(?<![`.\w]){name}\b(?!`)", annotations(text))]
        if used and source != here:
            lines.append(f"from {source} import {', '.join(used)}\n")
    return "\n" + "".join(lines) if lines else ""


def annotations(text: str) -> str:
    """A stub without its documentation."""
    return re.sub(r'"""(.*?)"""', "", text, flags=re.DOTALL)


def module_stub(module: ModuleType, families: tuple[str, ...] = ()) -> str:
    """The stub of a module that makes functions when it is imported."""
    public = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    functions = {name: getattr(module, name) for name in public}
    shown = [
        python_stub(name, value)
        for name, value in sorted(functions.items())
        if callable(value) and not isinstance(value, type)
    ]
    text = "\n".join(shown)
    title = (module.__doc__ or "").strip().partition("\n")[0]
    head = f'"""{title}\n\nMade by `scripts/stubs.py`.\n"""\n' + imports(text)
    around = "".join(f"from . import {family} as {family}\n" for family in families)
    return head + own_imports(text, module.__name__) + ("\n" + around if around else "") + "\n" + text


def stubs() -> dict[Path, str]:
    """Every stub by its file."""
    from tilewright import relax, tir
    from tilewright.relax.frontend import nn

    op = relax.op
    prefix = f"{op.__name__}."
    families = sorted(name for name in sys.modules if name.startswith(prefix) and name.count(".") == prefix.count("."))
    found = {
        PACKAGE / "_core.pyi": extension(),
        PACKAGE / "relax" / "op" / "__init__.pyi": module_stub(op, tuple(n.removeprefix(prefix) for n in families)),
        PACKAGE / "relax" / "transform" / "transform.pyi": module_stub(relax.transform.transform),
        PACKAGE / "relax" / "frontend" / "nn" / "op" / "__init__.pyi": module_stub(nn.op),
        PACKAGE / "tir" / "op.pyi": module_stub(tir.op),
    }
    for name in families:
        found[PACKAGE / "relax" / "op" / f"{name.removeprefix(prefix)}.pyi"] = module_stub(sys.modules[name])
    return found


def main() -> int:
    """Writes or checks the stubs."""
    sys.path.insert(0, str(PACKAGE.parent))
    wrong = []
    for path, written in stubs().items():
        text = written.rstrip("\n") + "\n"
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                wrong.append(f"{path.relative_to(PACKAGE.parent)} is not what scripts/stubs.py writes")
        else:
            path.write_text(text)
    print("\n".join(wrong) or "the stubs are as the package is")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
