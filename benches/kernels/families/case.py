"""A module of the corpus in the making.

A case is a name, its parameters (`x:f32:4,n,8 y:i32:`) and expressions; `v1`, `v2`, … are their values in order, and
the last one is what the function returns.
"""

from __future__ import annotations

DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i8": "int8",
    "u8": "uint8",
    "bool": "bool",
}


class Module:
    """A module of the corpus: functions, and PrimFuncs as text."""

    def __init__(self, about: str):
        self.about = about
        self.functions: list[str] = []
        self.names: set[str] = set()

    def add(self, name: str, params: str, *expressions: str) -> None:
        """A Relax function."""
        self.named(name)
        signature = ", ".join(parameter(one) for one in params.split())
        lines = [f"        v{at} = {text}" for at, text in enumerate(expressions, 1)]
        head = f"    @R.function\n    def {name}({signature}):"
        self.functions.append("\n".join([head, *lines, f"        return v{len(expressions)}"]))

    def loops(self, name: str, text: str) -> None:
        """A PrimFunc whose lines, parameters first, stand under one `def`."""
        self.named(name)
        head, *body = [line for line in text.splitlines() if line.strip()]
        indented = "\n".join(f"    {line}" for line in body)
        self.functions.append(f"    @T.prim_func\n    def {name}({head.strip()}):\n{indented}")

    def named(self, name: str) -> None:
        assert name not in self.names, f"two cases are called {name}"
        self.names.add(name)

    def text(self) -> str:
        functions = "\n\n".join(self.functions)
        head = f"# {self.about}\n# Written by benches/kernels/generate.py.\n"
        return f"{head}\n@I.ir_module\nclass Module:\n{functions}\n"


def parameter(text: str) -> str:
    """`x:f32:4,n` as a parameter of a function; names in a shape are symbolic sizes."""
    name, dtype, shape = text.split(":")
    sizes = [size if size.isdigit() else f'"{size}"' for size in shape.split(",") if size]
    comma = "," if len(sizes) == 1 else ""
    return f'{name}: R.Tensor(({", ".join(sizes)}{comma}), "{DTYPES[dtype]}")'


def weights(shape: str, dtype: str = "float32") -> str:
    """A constant of this shape, small enough to be folded."""
    return f'R.full(({shape}), R.const(0.125, "{dtype}"), dtype="{dtype}")'
