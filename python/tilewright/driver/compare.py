"""A model of PyTorch here and in PyTorch: the first value that differs.

The model is compared as it is first. Where a result differs, both run again with the values of all operators as
results, and these are compared in their order.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..runtime import cpu
from ..runtime import ndarray as nd

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

__all__ = ["Comparison", "Difference", "compare"]


@dataclass(frozen=True)
class Difference:
    """A value that differs: its operator, the position of the largest difference, and both values there."""

    name: str
    operator: str
    position: tuple[int, ...]
    here: float
    there: float
    #: The largest difference, and the largest magnitude of the reference.
    largest: float
    scale: float
    differing: int
    elements: int
    #: Types and ranges of the operator's arguments.
    inputs: tuple[str, ...] = ()
    #: The line of the model, if PyTorch has recorded it.
    source: str = ""

    def __str__(self) -> str:
        lines = [
            f"first difference: `{self.name}`",
            f"  operator  {self.operator}",
            f"  position  {list(self.position)}, where the difference is largest",
            f"  here      {self.here}",
            f"  there     {self.there}",
            f"  apart     {self.largest:.3e}, {self.largest / max(self.scale, sys.float_info.min):.2e} of the largest "
            f"magnitude {self.scale}",
            f"  elements  {self.differing} of {self.elements} differ",
        ]
        lines += [f"  source    {self.source}"] if self.source else []
        lines += ["  inputs of the operator", *(f"    {text}" for text in self.inputs)] if self.inputs else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """Whether the results agree; else the first value that differs, of how many."""

    equal: bool
    first: Difference | None
    compared: int
    differing: int

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            return f"equal: {self.compared} values agree"
        parts = ["different", str(self.first) if self.first else "each operator agrees: fused kernels differ"]
        return "\n".join([*parts, f"{self.differing} of {self.compared} values differ"])


def compare(
    model: Any,
    inputs: Sequence[Any],
    against: str = "torch",
    *,
    tolerance: float = 1e-4,
    absolute: float = 1e-7,
    every: bool = False,
) -> Comparison:
    """Runs a model here and in PyTorch, and finds the first value that differs.

    The model is an `nn.Module` or an `ExportedProgram`, the inputs are its tensors. A value differs where an element is
    further from the reference than `tolerance` times the largest magnitude of its tensor, and than `absolute`. With
    `every`, all values are compared even where the results agree.
    """
    import torch

    if against != "torch":
        raise ValueError(f"expected against='torch', found {against!r}: files are compared by `tilewright compare`")
    program = model
    if not isinstance(model, torch.export.ExportedProgram):
        program = torch.export.export(model, tuple(inputs))
    limits = (tolerance, absolute)
    results = _differences(program, inputs, limits)
    if not every and all(difference is None for _, difference in results):
        return Comparison(True, None, len(results), 0)
    observed, nodes = _observed(program, inputs)
    found = _differences(observed, inputs, limits, nodes)
    first = next((difference for _, difference in found if difference is not None), None)
    differing = sum(difference is not None for _, difference in found)
    agree = first is None and all(difference is None for _, difference in results)
    return Comparison(agree, first, len(found), differing)


def _observed(program: ExportedProgram, inputs: Sequence[Any]) -> tuple[ExportedProgram, list[fx.Node]]:
    """The program with the value of every operator as a result, and the operators."""
    import torch

    module = program.module()
    graph = module.graph
    nodes = [
        node
        for node in graph.nodes
        if node.op == "call_function"
        and isinstance(node.meta.get("val"), torch.Tensor)
        and node.meta["val"].layout == torch.strided
    ]
    end = next(node for node in graph.nodes if node.op == "output")
    end.args = (tuple(nodes),)
    graph._codegen = torch.fx.graph.CodeGen()
    plain = torch.fx.GraphModule(module, graph)
    return torch.export.export(plain, tuple(inputs)), nodes


def _differences(
    program: ExportedProgram, inputs: Sequence[Any], limits: tuple[float, float], nodes: Sequence[fx.Node] = ()
) -> list[tuple[str, Difference | None]]:
    """The results with their differences; `nodes` are the operators that make them."""
    import torch

    from ..relax import VirtualMachine, build
    from ..relax.frontend.torch import from_exported_program

    with torch.no_grad():
        expected = _flat(program.module()(*inputs))
    machine = VirtualMachine(build(from_exported_program(program)), cpu())
    given = [nd.array(value.detach().numpy()) for value in inputs]
    found = [value.numpy() for value in _flat(machine["main"](*given))]
    if len(found) != len(expected):
        raise ValueError(f"{len(found)} results here, and {len(expected)} in PyTorch")
    values = {node.name: value for node, value in zip(nodes, expected, strict=False)}
    rows = []
    for at, (here, there) in enumerate(zip(found, expected, strict=True)):
        node = nodes[at] if at < len(nodes) else None
        name = node.name if node is not None else f"result {at}"
        rows.append((name, _difference(name, here, there, limits, node, values)))
    return rows


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)) or type(value).__name__ == "Array":
        return [item for field in value for item in _flat(field)]
    return [value]


def _difference(
    name: str, here: Any, there: Any, limits: tuple[float, float], node: fx.Node | None, values: dict[str, Any]
) -> Difference | None:
    import numpy as np

    reference = there.detach().numpy()
    if here.shape != reference.shape or here.dtype != reference.dtype:
        raise ValueError(
            f"{name}: {here.dtype}{list(here.shape)} here, {reference.dtype}{list(reference.shape)} in PyTorch"
        )
    if reference.size == 0:
        return None
    a, b = here.astype("float64"), reference.astype("float64")
    finite = np.abs(b[np.isfinite(b)])
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    apart = np.where(np.isnan(apart), np.inf, apart)
    beyond = apart > max(limits[0] * scale, limits[1])
    if not beyond.any():
        return None
    position = tuple(int(at) for at in np.unravel_index(apart.argmax(), apart.shape))
    return Difference(
        name,
        str(node.target) if node is not None else "the model",
        position,
        float(a[position]),
        float(b[position]),
        float(apart.max()),
        scale,
        int(beyond.sum()),
        int(beyond.size),
        tuple(_described(one, values) for one in node.all_input_nodes) if node is not None else (),
        _source(node),
    )


def _described(node: fx.Node, values: dict[str, Any]) -> str:
    value = values.get(node.name, node.meta.get("val"))
    kind = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}" if hasattr(value, "dtype") else "?"
    if node.name not in values or not value.numel():
        return f"{node.name}: {kind}"
    return f"{node.name}: {kind}, {value.min().item()} to {value.max().item()}"


def _source(node: fx.Node | None) -> str:
    lines = ((node.meta.get("stack_trace") or "") if node is not None else "").strip().splitlines()
    places = [at for at, line in enumerate(lines) if line.lstrip().startswith("File ")]
    if not places:
        return ""
    code = lines[places[-1] + 1].strip() if places[-1] + 1 < len(lines) else ""
    return f"{lines[places[-1]].strip()}: {code}"


def _main(arguments: Sequence[str]) -> int:
    """`FILE SEED TOLERANCE ABSOLUTE EVERY`, for `tilewright compare FILE.pt2`."""
    path, seed, tolerance, absolute, every = arguments
    try:
        import torch
    except ModuleNotFoundError as error:
        print(f"error: torch does not run in {sys.executable}: {error}", file=sys.stderr)
        return 2
    try:
        program = torch.export.load(path)
        torch.manual_seed(int(seed))
        inputs = _example_inputs(program)
        found = compare(program, inputs, tolerance=float(tolerance), absolute=float(absolute), every=every == "1")
    except Exception as error:
        print(f"error: {path}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(f"{path}: {found}")
    return 0 if found else 1


def _example_inputs(program: ExportedProgram) -> list[Any]:
    """Inputs like those that the program was exported with: floats are random, the others are these."""
    import torch

    if program.example_inputs is None or program.example_inputs[1]:
        raise ValueError("the program has no example inputs by position: compare it with `tilewright.compare`")
    given = _flat(program.example_inputs[0])
    return [torch.randn_like(one) if one.is_floating_point() else one for one in given]


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
