#!/usr/bin/env python3
"""Runs samples of PyTorch's `op_db` through `torch.compile(backend="tilewright")`, and writes the table of operators.

scripts/torch_ops.py                 writes docs/torch_ops.md
scripts/torch_ops.py --only add …    runs the samples of these operators and prints what is not native; writes nothing
scripts/torch_ops.py --samples 20    at most so many samples for each operator and data type

`op_db` is the list of operators that PyTorch tests itself with; it needs the package `expecttest`. Each sample becomes
a function of its tensors, which is compiled and compared with the same function run by PyTorch: shapes, data types,
strides and values. A sample is *native* if all operators of its graph are compiled, *partly* if some are, *left* if
PyTorch runs all of it, and *refused* if compiling raises an error. It *differs* if results are not those of PyTorch,
within what sums in another order make of them: 2e-5 of the result's scale in float32, 2e-3 in float16, nothing for
integers. In float16 the result of PyTorch in float64, rounded, is as good; among equal values the places that `sort`
and its like give may be others. What PyTorch's own backend `aot_eager` gives or raises in the same way, such as
other random numbers, is not ours.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
PAGE = ROOT / "docs" / "torch_ops.md"
DTYPES = ("float32", "float16", "int64")
#: A part of the result's scale, by data type.
TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "complex64": 2e-5}
#: A sample runs at most this long.
SECONDS = 60
#: Operators that give places in the first tensor, of which PyTorch promises no certain one where values are equal.
OF_PLACES = ("argsort", "kthvalue", "median", "mode", "nanmedian", "sort", "topk")
#: Operators whose results have no values that are promised.
WITHOUT_VALUES = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
OUTCOMES = ("native", "partly", "left", "refused", "differs")


def operators() -> list[Any]:
    """The operators, in the order of the list."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return list(op_db)


def full_name(op: Any) -> str:
    """The operator's name with that of its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def samples(op: Any, dtype: str, most: int) -> list[tuple[int, Any]]:
    """Samples with their numbers, at most so many, from all of the list."""
    import torch

    if not op.supports_dtype(getattr(torch, dtype), "cpu"):
        return []
    torch.manual_seed(0)
    found = list(enumerate(op.sample_inputs("cpu", getattr(torch, dtype), requires_grad=False)))
    if len(found) > most:
        found = [found[at * (len(found) - 1) // (most - 1)] if most > 1 else found[0] for at in range(most)]
    return found


def function_of(op: Any, sample: Any) -> tuple[Any, list[Any]]:
    """A function of tensors that calls the operator as the sample does, and its tensors."""
    import torch
    from torch.utils._pytree import tree_map

    tensors: list[Any] = []
    held: dict[str, Any] = {"called": op.op, "inf": float("inf"), "nan": float("nan")}

    def text(value: Any) -> str:
        """The text of an argument; what has none is a name of its own."""
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            return f"t{len(tensors) - 1}"
        if value is None or type(value) in (bool, int, float, str):
            return repr(value)
        if type(value) in (list, tuple):
            items = "".join(f"{text(item)}, " for item in value)
            return f"[{items}]" if type(value) is list else f"({items})"
        held[f"c{len(held)}"] = value
        return f"c{len(held) - 1}"

    arguments = [text(sample.input), *map(text, sample.args)]
    arguments += [f"{key}={text(value)}" for key, value in sample.kwargs.items()]
    names = ", ".join(f"t{at}" for at in range(len(tensors)))
    exec(f"def run({names}):\n    return called({', '.join(arguments)})", held)
    run = held["run"]

    def copied(*given: Any) -> Any:
        return tree_map(lambda one: one.clone() if isinstance(one, torch.Tensor) else one, run(*given))

    def storages(values: Any) -> set[int]:
        return {one.untyped_storage()._cdata for one in tensors_in(values) if one.layout == torch.strided}

    # A view that is a result is made by AOTAutograd itself, of the input: nothing of it would be compiled.
    given = [fresh(one) for one in tensors]
    torch.manual_seed(1)
    return (copied if storages(given) & storages(run(*given)) else run), tensors


def tensors_in(value: Any) -> list[Any]:
    """The tensors of a result."""
    import torch
    from torch.utils._pytree import tree_leaves

    return [one for one in tree_leaves(value) if isinstance(one, torch.Tensor)]


def fresh(tensor: Any) -> Any:
    """A tensor of its own with the same values and strides."""
    import torch

    if tensor.layout != torch.strided or tensor.is_nested:
        return tensor.clone()
    made = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    return made.copy_(tensor) if 0 not in tensor.stride() else tensor.clone()


def outcome_of(op: Any, sample: Any) -> tuple[str, str]:
    """What comes of a sample, and why."""
    import torch

    import tilewright.torch

    try:
        function, tensors = function_of(op, sample)
        expected = run(function, tensors)
    except Exception as error:
        return "skipped", f"PyTorch: {said(error)}"
    torch._dynamo.reset()
    tilewright.torch.reset()
    try:
        found = run(torch.compile(function, backend=tilewright.torch.backend, dynamic=False), tensors)
    except Exception as error:
        return of_error(function, tensors, error)
    report = tilewright.torch.report()
    why = "; ".join(dict.fromkeys(f"{one.operator}: {one.reason}" for graph in report.graphs for one in graph.left))
    difference = differs(op, found, expected)
    if difference and (
        is_rounding_of_pytorch(function, tensors, found) or has_same_values(op, sample, found, expected)
    ):
        difference = ""
    if difference:
        if agrees_with_aot(op, function, tensors, found):
            return "left", f"as `aot_eager`: {difference}"
        return "differs", f"{difference} [{report.native_operators} native; {why}]"
    if not report.graphs:
        return "left", "TorchDynamo captures nothing of it"
    if report.native_operators and not report.fallbacks:
        return "native", ""
    return ("partly" if report.native_operators else "left"), why or "nothing to compute"


def is_rounding_of_pytorch(function: Any, tensors: list[Any], found: Any) -> bool:
    """Whether a result in float16 is that of PyTorch in float64, rounded: PyTorch itself is farther from it."""
    import torch

    if not any(one.dtype == torch.float16 for one in tensors):
        return False
    try:
        wide = run(function, [one.double() if one.dtype == torch.float16 else one for one in tensors])
    except Exception:
        return False
    ours = tensors_in(found)
    exact = [one.half() if one.is_floating_point() else one for one in tensors_in(wide)]
    return len(ours) == len(exact) and not any(map(tensor_differs, ours, exact))


def has_same_values(op: Any, sample: Any, found: Any, expected: Any) -> bool:
    """Whether a result differs in places alone, where the values are the same."""
    import torch

    if op.name not in OF_PLACES:
        return False
    ours, theirs = tensors_in(found), tensors_in(expected)
    if len(ours) > 1 and tensor_differs(ours[0], theirs[0]):
        return False
    one, wanted = ours[-1], theirs[-1]
    numbers = [value for value in (*sample.args, *sample.kwargs.values()) if type(value) is int]
    for dim in dict.fromkeys([*numbers[::-1], -1]):
        if -sample.input.ndim <= dim < sample.input.ndim:
            shape = [1 if at == dim % sample.input.ndim else size for at, size in enumerate(sample.input.shape)]
            a, b = (x if x.ndim == sample.input.ndim else x.reshape(shape) for x in (one, wanted))
            if ((a >= 0) & (a < sample.input.shape[dim])).all() and a.shape == b.shape:
                same = [torch.gather(sample.input, dim, x) for x in (a, b)]
                if torch.equal(*same):
                    return True
    return False


def run(function: Any, tensors: list[Any]) -> Any:
    """The result on copies of the tensors, with the random numbers of one seed."""
    import torch

    given = [fresh(one) for one in tensors]
    torch.manual_seed(1)
    with torch.no_grad():
        return function(*given)


def of_error(function: Any, tensors: list[Any], error: Exception) -> tuple[str, str]:
    """The outcome of a sample that is not compiled: PyTorch's own, where `aot_eager` does not compile it either."""
    import torch

    torch._dynamo.reset()
    try:
        run(torch.compile(function, backend="aot_eager", dynamic=False), tensors)
    except Exception:
        return "left", f"PyTorch does not compile it: {said(error)}"
    return "refused", said(error)


def agrees_with_aot(op: Any, function: Any, tensors: list[Any], found: Any) -> bool:
    """Whether PyTorch's backend that compiles nothing gives the same."""
    import torch

    torch._dynamo.reset()
    try:
        other = run(torch.compile(function, backend="aot_eager", dynamic=False), tensors)
    except Exception:
        return False
    return not differs(op, found, other)


def said(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def differs(op: Any, found: Any, expected: Any) -> str:
    """How a result is not what PyTorch gives; empty where it is."""
    import torch
    from torch.utils._pytree import tree_leaves

    ours, theirs = tree_leaves(found), tree_leaves(expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} results, expected {len(theirs)}"
    for one, wanted in zip(ours, theirs, strict=True):
        if not isinstance(wanted, torch.Tensor):
            same = one == wanted or (one != one and wanted != wanted)
            if not same and not (isinstance(wanted, float) and abs(one - wanted) <= 2e-5 * abs(wanted)):
                return f"{one}, expected {wanted}"
            continue
        reason = tensor_differs(one, wanted, op.name not in WITHOUT_VALUES)
        if reason:
            return reason
    return ""


def tensor_differs(one: Any, wanted: Any, with_values: bool = True) -> str:
    """How a tensor is not the one that PyTorch gives."""
    import torch

    if one.shape != wanted.shape or one.dtype != wanted.dtype or one.layout != wanted.layout:
        return f"{one.dtype} {tuple(one.shape)}, expected {wanted.dtype} {tuple(wanted.shape)}"
    if wanted.layout != torch.strided or wanted.is_nested or wanted.is_quantized or not with_values:
        return ""
    if not same_strides(one, wanted):
        return f"strides {one.stride()}, expected {wanted.stride()} of {tuple(wanted.shape)}"
    if not wanted.dtype.is_floating_point and not wanted.dtype.is_complex:
        return "" if torch.equal(one, wanted) else f"{(one != wanted).sum()} of {wanted.numel()} integers"
    wide = torch.complex128 if wanted.dtype.is_complex else torch.float64
    a, b = one.detach().to(wide), wanted.detach().to(wide)
    finite = torch.isfinite(b)
    if not torch.equal(torch.isfinite(a), finite) or not torch.equal(torch.isnan(a), torch.isnan(b)):
        return "other infinities or NaN"
    if not b.is_complex() and not torch.equal(a.nan_to_num(0, 1, -1)[~finite], b.nan_to_num(0, 1, -1)[~finite]):
        return "infinities of other signs"
    if not finite.any():
        return ""
    scale = b[finite].abs().max().clamp(min=1e-6)
    worst = (a[finite] - b[finite]).abs().max()
    tolerance = TOLERANCES.get(str(wanted.dtype).removeprefix("torch."), 1e-9)
    return "" if worst <= tolerance * scale else f"{worst:.3g} of {scale:.3g}"


def same_strides(one: Any, wanted: Any) -> bool:
    """Whether the dimensions with more than one element have the same strides; an expanded result may be whole."""
    if wanted.numel() == 0:
        return True
    pairs = [(a, b) for size, a, b in zip(wanted.shape, one.stride(), wanted.stride(), strict=True) if size > 1]
    return any(b == 0 for _, b in pairs) or all(a == b for a, b in pairs)


def worker(part: int, arguments: argparse.Namespace) -> None:
    """Runs the samples of each `jobs`-th operator, and appends what comes of them to a file."""
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    results = arguments.results / f"{part}.jsonl"
    done = {json.loads(line)["key"] for line in results.read_text().splitlines()} if results.exists() else set()

    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    chosen = [op for op in operators() if not arguments.only or full_name(op) in arguments.only]
    for op in chosen[part :: arguments.jobs]:
        for dtype in DTYPES:
            if f"{full_name(op)} {dtype}" in done:
                continue
            _run_samples(op, dtype, arguments, results, done)


def _run_samples(op: Any, dtype: str, arguments: argparse.Namespace, results: Path, done: set[str]) -> None:
    try:
        todo = samples(op, dtype, arguments.samples)
    except Exception as error:
        todo = []
        print(f"{full_name(op)} {dtype}: no samples: {said(error)}", file=sys.stderr)
    for number, sample in todo:
        record = {"key": f"{full_name(op)} {dtype} {number}", "operator": full_name(op), "dtype": dtype}
        if record["key"] in done:
            continue
        with results.open("a") as file:
            # What ends the process is told from this line, which a later one replaces.
            file.write(json.dumps({**record, "outcome": "refused", "why": "the process ended"}) + "\n")
        signal.alarm(SECONDS)
        try:
            outcome, why = outcome_of(op, sample)
        except TimeoutError as error:
            outcome, why = "refused", str(error)
        finally:
            signal.alarm(0)
        with results.open("a") as file:
            file.write(json.dumps({**record, "outcome": outcome, "why": why}) + "\n")


def lines_in(folder: Path) -> int:
    """How many outcomes there are."""
    return sum(len(path.read_text().splitlines()) for path in folder.glob("*.jsonl"))


def main() -> None:
    """Runs the samples in processes of their own, which may end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, help="keep the outcomes in this folder, and go on from there")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        worker(arguments.worker, arguments)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.results or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, "--jobs", str(arguments.jobs), "--samples", str(arguments.samples)]
        command += ["--results", str(folder), *(["--only", *arguments.only] if arguments.only else [])]
        left = list(range(arguments.jobs))
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        while left:
            before = lines_in(folder)
            running = {p: subprocess.Popen([*command, "--worker", str(p)], env=environment) for p in left}
            left = [part for part, process in running.items() if process.wait() != 0]
            if left and lines_in(folder) == before:
                raise SystemExit("the processes end before they run a sample")
        records: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text().splitlines():
                record = json.loads(line)
                records[record["key"]] = record
    report(records, arguments)


def report(records: dict[str, dict[str, Any]], arguments: argparse.Namespace) -> None:
    """Prints what is not native, and writes the page."""
    ran = [record for record in records.values() if record["outcome"] != "skipped"]
    for record in ran:
        if record["outcome"] in ("differs", "refused") or (arguments.only and record["outcome"] != "native"):
            print(f"{record['outcome']:<8} {record['key']}: {record['why']}")
    by_operator: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for record in ran:
        by_operator[record["operator"]].append(record)
    print(summary(by_operator))
    if not arguments.only:
        PAGE.write_text(page(by_operator, arguments.samples))


def summary(by_operator: dict[str, list[dict[str, Any]]]) -> str:
    """The counts in a sentence."""
    counts = collections.Counter(record["outcome"] for some in by_operator.values() for record in some)
    claimed = [some for some in by_operator.values() if any(record["outcome"] == "native" for record in some)]
    native = sum(record["outcome"] == "native" for some in claimed for record in some)
    of_claimed = sum(map(len, claimed))
    share = 100 * native / of_claimed if of_claimed else 0.0
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    return (
        f"{sum(counts.values())} samples of {len(by_operator)} operators: {told}. {len(claimed)} operators have a "
        f"native sample, and {share:.1f} % of their {of_claimed} samples are native."
    )


def page(by_operator: dict[str, list[dict[str, Any]]], most: int) -> str:
    """The table of the operators."""
    import torch

    def row(operator: str) -> str:
        some = by_operator[operator]
        of = collections.Counter(record["outcome"] for record in some)
        worst = [record for outcome in reversed(OUTCOMES[1:]) for record in some if record["outcome"] == outcome]
        why = worst[0]["why"].replace("|", "\\|").replace("\n", " ")[:140] if worst else ""
        cells = " | ".join(str(of[outcome] or "") for outcome in OUTCOMES)
        dtypes = ", ".join(dtype for dtype in DTYPES if any(record["dtype"] == dtype for record in some))
        return f"| {operator} | {dtypes} | {cells} | {why} |"

    lines = [
        "# Operators of PyTorch",
        "",
        f"Made by `scripts/torch_ops.py` from `op_db` of PyTorch {torch.__version__.partition('+')[0]}: at most {most} "
        "samples for each operator",
        'and data type, each compiled by `torch.compile(backend="tilewright")` and compared with PyTorch. A sample is',
        "*native* if all operators of its graph are compiled, *partly* if some are, *left* if PyTorch runs all of it,",
        "*refused* if compiling it is an error, and it *differs* if its results are not those of PyTorch.",
        "",
        summary(by_operator),
        "",
        "| operator | data types | " + " | ".join(OUTCOMES) + " | a reason |",
        "|---|---|" + "---|" * len(OUTCOMES) + "---|",
        *[row(operator) for operator in sorted(by_operator)],
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
