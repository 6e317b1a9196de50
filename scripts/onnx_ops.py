#!/usr/bin/env python3
"""Runs the node tests of the package `onnx` through `from_onnx`, and writes the table of operators.

scripts/onnx_ops.py                 writes docs/onnx.md
scripts/onnx_ops.py --only Conv …   runs the tests of these operators and prints why they fail; writes nothing
scripts/onnx_ops.py --kind simple   other tests of the package: simple, pytorch-converted, pytorch-operator, light

The package generates the tests of its own version: a model of one operator, inputs, and outputs that NumPy has
computed. A test *passes* if it imports, compiles, runs and gives shapes, data types and values of the test, within the
test's own tolerance. It is *refused* if the importer says that it has no rule. An operator whose result's shape depends
on the values of an input (a shape, axes, widths) may need these values when a model is imported, and a sequence its
length: such tests are run once more with these inputs as constants, and the table counts them on their own.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
PAGE = ROOT / "docs" / "onnx.md"
#: Domains of operators that are not those of inference.
OTHER_DOMAINS = {"ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.training", "ai.onnx.preview"}
#: A test runs at most this long.
SECONDS = 120
UNKNOWN = re.compile(r"the input `(\w+)` must be (known|of constant)")


def cases(kind: str) -> list[Any]:
    """The tests of a kind, of the default domain."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = load_model_tests(kind=kind)
    return [case for case in found if not any(o.domain in OTHER_DOMAINS for o in opsets(case))]


def model_of(case: Any) -> Any:
    """The model of a test."""
    import onnx

    if case.model is None:
        case.model = onnx.load(os.path.join(case.model_dir, "model.onnx"))
    return case.model


def data_of(case: Any) -> list[tuple[list[Any], list[Any]]]:
    """Inputs and outputs, as arrays."""
    import onnx
    from onnx import numpy_helper

    if case.data_sets is not None:
        return case.data_sets

    def read(folder: Path, kind: str) -> list[Any]:
        files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
        return [numpy_helper.to_array(onnx.load_tensor(str(path))) for path in files]

    return [(read(f, "input"), read(f, "output")) for f in sorted(Path(case.model_dir).glob("test_data_set_*"))]


def opsets(case: Any) -> Any:
    """The operator sets that a test uses."""
    return model_of(case).opset_import


def operators(all_cases: list[Any]) -> dict[str, list[Any]]:
    """The tests by operator; those of the function that an operator is belong to it."""
    own = {case.name: model_of(case).graph.node[-1].op_type for case in all_cases if "_expanded" not in case.name}
    found: dict[str, list[Any]] = collections.defaultdict(list)
    for case in all_cases:
        base = case.name.split("_expanded")[0]
        operator = own.get(base) or next((own[k] for k in own if k.startswith(base)), None)
        nodes = model_of(case).graph.node
        if "_expanded" not in case.name and len(nodes) > 1:
            named = [n.op_type for n in nodes if n.op_type.lower() in case.name.replace("_", "")]
            operator = max(named, key=len, default=operator)
        found[operator or nodes[-1].op_type].append(case)
    return found


def run(case: Any) -> tuple[str, str]:
    """`passed`, `constant` (with inputs as constants), `refused` or `failed`, and why."""
    import numpy as np
    from onnx import numpy_helper

    import tilewright as tw
    from tilewright import relax
    from tilewright.relax.frontend.onnx import from_onnx

    model = model_of(case)
    held = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in held]
    sequences = {value.name for value in model.graph.input if "sequence_type" in str(value.type)}

    def attempt(constants: dict[str, Any]) -> None:
        copy = type(model)()
        copy.CopyFrom(model)
        sets = [([array_of(value) for value in inputs], outputs) for inputs, outputs in data_of(case)]
        given = dict(zip(names, sets[0][0], strict=False))
        for name, value in constants.items():
            copy.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        shapes = {name: [list(item.shape) for item in given[name]] for name in sequences if name in given}
        shapes |= {name: None for name, value in given.items() if value is None}
        names_given = [name for name in names if given.get(name) is not None and name not in constants]
        if constants or sequences:
            known = {name: list(value.shape) for name, value in given.items() if hasattr(value, "shape")}
            shapes |= {name: shape for name, shape in known.items() if name not in constants and len(sets) == 1}
        mod = from_onnx(copy, shape_dict=shapes)
        machine = relax.VirtualMachine(relax.build(mod, target="llvm"), tw.cpu())
        for inputs, outputs in sets:
            named = dict(zip(names, inputs, strict=False))
            result = machine["main"](*[plain(named[name]) for name in names_given])
            check(result, outputs, case)

    def small() -> dict[str, Any]:
        """The inputs that are numbers, or lists of integers."""
        named = zip(names, data_of(case)[0][0], strict=False)
        given = {name: np.asarray(array_of(held)) for name, held in named if name not in sequences and held is not None}
        return {n: v for n, v in given.items() if v.ndim == 0 or (v.dtype.kind in "iub" and v.ndim == 1)}

    constants: dict[str, Any] = {}
    first: Exception | None = None
    for _ in range(8):
        try:
            attempt(constants)
            return ("constant" if constants or sequences else "passed"), ""
        except Exception as error:
            first = error
        named = [index for index in UNKNOWN.findall(str(first)) if refused(first)]
        inputs = {node.input[at] for node in model.graph.node for at in range(len(node.input))}
        wanted = dict(small() if not constants and (not named or len(model.graph.node) > 1) else {})
        for name, value in zip(names, data_of(case)[0][0], strict=False):
            if name in inputs and name in named_inputs(model, named) and name not in sequences:
                wanted[name] = array_of(value)
        if (not refused(first) and "TW0763" not in str(first)) or set(wanted) <= set(constants):
            break
        constants = {**constants, **wanted}
    refusal = refused(first)
    lines = [line.strip() for line in str(first).splitlines() if line.strip()]
    text = " / ".join(lines[:3])[:300]
    return ("refused" if refusal else "failed"), f"{type(first).__name__}: {text}"


def array_of(value: Any) -> Any:
    """An array, or a list of them, of what a test holds."""
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)):
        return [array_of(item) for item in value]
    # An optional value that is absent is written as an array of `None`.
    return None if str(getattr(value, "dtype", "")) == "object" and value.shape == () else value


def named_inputs(model: Any, named: list[Any]) -> set[str]:
    """The model's names of the inputs that a refusal says by their names in the operator's signature."""
    import onnx

    found = set()
    for node in model.graph.node:
        schema = onnx.defs.get_schema(node.op_type) if onnx.defs.has(node.op_type) else None
        for at, name in enumerate(node.input):
            formal = schema.inputs[at].name if schema and at < len(schema.inputs) else ""
            if any(word.lower() in (formal.lower(), name.lower()) for word, _ in named):
                found.add(name)
    return found


def refused(error: BaseException) -> bool:
    """Whether the importer has said that it does not take the model."""
    from tilewright.error import DiagnosticError, OpNotImplemented

    return isinstance(error, (DiagnosticError, OpNotImplemented)) and hasattr(error, "nodes")


def plain(value: Any) -> Any:
    """An input as a tensor, or a tuple of them."""
    import numpy as np

    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    import tilewright as tw

    array = np.asarray(value)
    if str(array.dtype) == "bfloat16":
        return tw.nd.array(array.astype("float32")).astype("bfloat16")
    return tw.nd.array(array)


def check(result: Any, expected: Any, case: Any) -> None:
    """Raises where a result is not what the test expects."""
    import numpy as np

    found = flat(result)
    wanted = flat([array_of(one) for one in expected])
    if len(found) != len(wanted):
        raise AssertionError(f"{len(found)} outputs, expected {len(wanted)}")
    for have, want in zip(found, wanted, strict=True):
        want = np.asarray(array_of(want))
        kind = str(have.dtype)
        have = (have.astype("float32") if kind == "bfloat16" else have).numpy()
        if have.shape != want.shape:
            raise AssertionError(f"shape {have.shape}, expected {want.shape}")
        if kind != str(want.dtype):
            raise AssertionError(f"type {kind}, expected {want.dtype}")
        if "bernoulli" in case.name or case.name.startswith("test_random"):
            continue
        np.testing.assert_allclose(have.astype("float64"), want.astype("float64"), rtol=case.rtol, atol=case.atol)


def flat(value: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if hasattr(value, "numpy"):
        return [value]
    if isinstance(value, (list, tuple)) or type(value).__name__ in ("Array", "Tuple", "ADT"):
        return [one for item in value for one in flat(item)]
    return [value]


def worker(kind: str, part: int, parts: int, only: list[str], results: Path) -> None:
    """Runs each `parts`-th test, and appends what comes of it to a file."""
    done = set()
    if results.exists():
        done = {json.loads(line)["name"] for line in results.read_text().splitlines()}
    todo = [(o, c) for o, some in operators(cases(kind)).items() for c in some if not only or o in only]
    for operator, case in todo[part::parts]:
        if case.name in done:
            continue
        opset = max((held.version for held in opsets(case) if not held.domain), default=0)
        record = {"name": case.name, "operator": operator, "opset": opset}
        with results.open("a") as file:
            # What ends the process is told from this line, which a later one replaces.
            file.write(json.dumps({**record, "outcome": "failed", "why": "the process ended"}) + "\n")
        import signal

        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError(f"more than {SECONDS} s")))
        signal.alarm(SECONDS)
        outcome, why = run(case)
        signal.alarm(0)
        with results.open("a") as file:
            file.write(json.dumps({**record, "outcome": outcome, "why": why}) + "\n")


def main() -> None:
    """Runs the tests in processes of their own, which may end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--kind", default="node")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, help="keep the outcomes in this folder, and go on from there")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        path = arguments.results / f"{arguments.worker}.jsonl"
        worker(arguments.kind, arguments.worker, arguments.jobs, arguments.only, path)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.results or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        left = list(range(arguments.jobs))
        while left:
            command = [sys.executable, __file__, "--kind", arguments.kind, "--jobs", str(arguments.jobs), "--results"]
            command += [str(folder), *(["--only", *arguments.only] if arguments.only else [])]
            running = {part: subprocess.Popen([*command, "--worker", str(part)]) for part in left}
            left = [part for part, process in running.items() if process.wait() != 0]
        records: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text().splitlines():
                record = json.loads(line)
                records[record["name"]] = record
    report(records, arguments)


def report(records: dict[str, dict[str, Any]], arguments: argparse.Namespace) -> None:
    """Prints what fails, and writes the page."""
    by_operator: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for record in records.values():
        by_operator[record["operator"]].append(record)
    for record in records.values():
        if record["outcome"] in ("failed", "refused"):
            print(f"{record['outcome']:<8} {record['operator']} {record['name']}: {record['why']}")
    whole = [o for o, some in by_operator.items() if all(r["outcome"] in ("passed", "constant") for r in some)]
    counts = collections.Counter(record["outcome"] for record in records.values())
    print(f"{len(whole)} of {len(by_operator)} operators pass all tests; of {len(records)} tests {dict(counts)}")
    if not arguments.only and arguments.kind == "node":
        PAGE.write_text(page(by_operator, counts, len(whole)))


def page(by_operator: dict[str, list[dict[str, Any]]], counts: collections.Counter[str], whole: int) -> str:
    """The table of the operators."""
    import onnx

    def row(operator: str) -> str:
        some = by_operator[operator]
        of = collections.Counter(record["outcome"] for record in some)
        versions = sorted({record["opset"] for record in some})
        span = f"{versions[0]}-{versions[-1]}" if len(versions) > 1 else str(versions[0])
        why = next((r["why"] for r in some if r["outcome"] in ("refused", "failed")), "")
        why = re.sub(r"^\w+: (error(\[\w+\])?: )?", "", why).split(" / ")[0].replace("|", "\\|")[:120]
        cells = [of["passed"], of["constant"], of["failed"], of["refused"]]
        return f"| {operator} | {span} | " + " | ".join(str(cell or "") for cell in cells) + f" | {why} |"

    lines = [
        "# Operators of ONNX",
        "",
        f"Made by `scripts/onnx_ops.py` from the node tests of the package `onnx` {onnx.__version__}, default domain,",
        "without training. A test *passes* if shapes, data types and values are those of the test. *constant* counts",
        "those that pass with inputs such as axes or shapes known when the model is imported, and with the lengths of",
        "sequences. *refused* ones are errors of the importer that name the node.",
        "",
        f"{whole} of {len(by_operator)} operators pass all of their tests; of {sum(counts.values())} tests "
        f"{counts['passed']} pass, {counts['constant']} more with constants, {counts['failed']} fail, "
        f"{counts['refused']} are refused.",
        "",
        "| operator | opsets | passed | constant | failed | refused | first reason |",
        "|---|---|---|---|---|---|---|",
        *[row(operator) for operator in sorted(by_operator)],
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
