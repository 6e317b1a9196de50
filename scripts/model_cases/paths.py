"""The ways from PyTorch to a compiled module, each with the seconds of its steps."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from . import Case
from .checks import TOLERANCE, Observed, Plain, distances, draw_again, planted, sight, weights

#: The shared steps, whose seconds are measured.
STEPS = ("export", "import", "compile", "run")
#: Sizes that tables of positions bound.
LARGEST = {"length": 16, "past": 16}
#: Sizes that must be larger than a convolution.
SMALLEST = {"samples": 100}


class StepFault(Exception):
    """What a step has raised."""

    def __init__(self, step: str, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {said(error)}")
        self.step = step


def said(error: BaseException) -> str:
    """An error's message in one line."""
    return " ".join(str(error).split())[:1500]


class Steps:
    """Seconds by step."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STEPS, 0.0)

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measures what is inside, and says in which step it failed."""
        start = time.perf_counter()
        try:
            with quiet() if name == "export" else contextlib.nullcontext():
                yield
        except Exception as error:
            raise StepFault(name, error) from error
        finally:
            self.seconds[name] += time.perf_counter() - start


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Exporters print and warn; their errors are enough."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)


def through_export(model: nn.Module, inputs: Any, sizes: Any, steps: Steps, _folder: Path) -> Any:
    """By `torch.export`; all inputs are inputs of the result."""
    from tilewright.relax.frontend.torch import from_exported_program

    with steps.step("export"):
        program = torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes(sizes))
    with steps.step("import"):
        return from_exported_program(program, drop_changes=True), range(len(inputs))


def through_onnx(dynamo: bool) -> Callable[..., Any]:
    """By a file of ONNX, from one of PyTorch's two exporters; inputs that it drops are left out."""

    def through(model: nn.Module, inputs: Any, sizes: Any, steps: Steps, folder: Path) -> Any:
        from tilewright.relax.frontend.onnx import from_onnx

        path = folder / "model.onnx"
        with steps.step("export"):
            names = exported(model, inputs, sizes, path, dynamo)
        with steps.step("import"):
            module = from_onnx(str(path))
        return module, [names.index(one.name_hint) for one in module["main"].params]

    return through


def exported(model: nn.Module, inputs: Any, sizes: Any, path: Path, dynamo: bool) -> list[str]:
    """Writes a file of ONNX; its names of the inputs, of which the file may lack some."""
    names = [f"x{at}" for at in range(len(inputs))]
    options: dict[str, Any] = {"input_names": names, "dynamo": dynamo}
    if dynamo:
        options |= {"dynamic_shapes": dynamic_shapes(sizes), "verbose": False}
    elif sizes:
        options["dynamic_axes"] = dict(zip(names, sizes, strict=True))
    # Attention has a kernel of its own in PyTorch, which exporters do not know.
    torch.backends.mha.set_fastpath_enabled(False)
    with torch.no_grad():
        torch.onnx.export(model, inputs, str(path), **options)
    return names


def write_file(case: Case, folder: Path) -> str:
    """Writes the case's model as `NAME.onnx` with the arguments of a call and PyTorch's results as `NAME.npz`.

    By the exporter that takes it with symbolic sizes, or else at all: the newer one first.
    """
    import onnx

    torch.manual_seed(0)
    inputs = case.inputs(*case.calls[0])
    model = Plain(draw_again(case.build().eval(), inputs, case.factors)).eval()
    with torch.no_grad():
        results = model(*[one.clone() for one in inputs])
    path, why = folder / f"{case.name}.onnx", ""
    for sizes, dynamo in [(case.sizes, True), (case.sizes, False), (None, True), (None, False)]:
        try:
            with quiet():
                names = exported(model, inputs, sizes or None, path, dynamo)
            break
        except Exception as error:
            why = said(error)
    else:
        return f"{case.name}: no file: {why[:200]}"
    kept = [names.index(one.name) for one in onnx.load(str(path), load_external_data=False).graph.input]
    arrays = {f"input-{at}": inputs[index].numpy() for at, index in enumerate(kept)}
    arrays |= {f"output-{at}": one.numpy() for at, one in enumerate(results)}
    np.savez(path.with_suffix(".npz"), **arrays)
    return f"{case.name}: {'symbolic' if sizes else 'fixed'} sizes, {'dynamo' if dynamo else 'traced'}"


def dynamic_shapes(sizes: Any) -> Any:
    """What `torch.export` calls sizes of which any may come; the inputs are the arguments of one `*inputs`."""
    if not sizes:
        return None
    dims = {
        name: torch.export.Dim(name, min=SMALLEST.get(name), max=LARGEST.get(name))
        for one in sizes
        for name in one.values()
    }
    return (tuple({axis: dims[name] for axis, name in one.items()} for one in sizes),)


PATHS = {
    "torch.export": through_export,
    "ONNX, dynamo": through_onnx(True),
    "ONNX, traced": through_onnx(False),
}


def prepared(case: Case) -> tuple[Observed, list[tuple[Tensor, ...]]]:
    """The case's model with drawn weights and intermediate values, and the inputs of each of its calls."""
    torch.manual_seed(0)
    calls = [case.inputs(*call) for call in case.calls]
    model = draw_again(case.build().eval(), calls[0], case.factors)
    return Observed(model, calls[0]).eval(), calls


def outcome(case: Case, path: str, folder: Path, plant: bool = False) -> dict[str, Any]:
    """What comes of a case on a path; with symbolic sizes if that succeeds, or else with the sizes of each call.

    With `plant` the model that is imported has an error in a weight that the model compared with has not.
    """
    model, calls = prepared(case)
    with torch.no_grad():
        wanted = [model(*[one.clone() for one in call]) for call in calls]
    record: dict[str, Any] = {"intermediates": model.names}
    if plant:
        named = list(weights(model, case.idle, 12))
        name, weight = named[len(named) // 2]
        record["planted"] = name
        with torch.no_grad():
            weight.copy_(planted(weight))
    else:
        record["sight"] = sight(model, calls[0], case.idle)
    fixed = tuple({} for _ in calls[0])
    reasons = []
    for sizes in [case.sizes, fixed] if case.sizes else [fixed]:
        found = attempt(model, calls, wanted, path, sizes if any(sizes) else None, folder)
        found["sizes"] = sorted({name for one in sizes for name in one.values()})
        if found["outcome"] == "agrees" or plant:
            break
        reasons.append(f"{found['outcome']}: {found['why']}")
    if len(reasons) > 1 or found["outcome"] == "agrees":
        found["symbolic"] = reasons[0] if reasons else ""
    return {**record, **found}


def attempt(
    model: Observed, calls: Sequence[Any], wanted: Sequence[Any], path: str, sizes: Any, folder: Path
) -> dict[str, Any]:
    """The outcome with these symbolic sizes, or with an export for each call."""
    steps, worst = Steps(), (0.0, 0.0)
    groups = [list(zip(calls, wanted, strict=True))] if sizes else [[pair] for pair in zip(calls, wanted, strict=True)]
    try:
        for group in groups:
            run = compiled(model, group[0][0], path, sizes, steps, folder)
            for inputs, expected in group:
                each = distances(run(inputs), expected, len(model.names))
                worst = max(worst[0], each[0]), max(worst[1], each[1])
                if max(each) > TOLERANCE:
                    blamed = of_exporter(path, folder, inputs, expected)
                    error = blamed or f"at {[tuple(one.shape) for one in inputs]}"
                    return result("exporter" if blamed else "differs", error, steps, worst)
    except StepFault as fault:
        blamed = fault.step == "export"
        if not blamed and path != "torch.export" and (why := of_exporter(path, folder, *group[0])):
            return result("exporter", why, steps, worst)
        return result("exporter" if blamed else "refused", f"{fault.step}: {fault}", steps, worst)
    return result("agrees", "", steps, worst)


def result(word: str, why: str, steps: Steps, worst: tuple[float, float]) -> dict[str, Any]:
    """An outcome as it is kept."""
    seconds = {name: round(value, 3) for name, value in steps.seconds.items()}
    return {"outcome": word, "why": why, "seconds": seconds, "worst": worst}


def compiled(
    model: nn.Module, inputs: Any, path: str, sizes: Any, steps: Steps, folder: Path
) -> Callable[[Any], list[Any]]:
    """A function of inputs that runs the compiled model."""
    import tilewright as tw
    from tilewright import relax

    module, kept = PATHS[path](model, inputs, sizes, steps, folder)
    with steps.step("compile"):
        main = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())["main"]

    def run(given: Any) -> list[Any]:
        arguments = [tw.nd.array(given[at].contiguous().numpy()) for at in kept]
        with steps.step("run"):
            results = main(*arguments)
        return [one.numpy() for one in flat(results)]

    return run


def flat(value: Any) -> list[Any]:
    """The tensors of a result of the machine, in order."""
    return [value] if hasattr(value, "numpy") else [one for item in value for one in flat(item)]


def of_exporter(path: str, folder: Path, inputs: Any, expected: Sequence[Tensor]) -> str:
    """Why a file of ONNX is wrong, where ONNX Runtime does not get PyTorch's results from it either."""
    if path == "torch.export" or importlib.util.find_spec("onnxruntime") is None:
        return ""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        names = [one.name for one in session.get_inputs()]
        found = session.run(None, {name: inputs[int(name[1:])].numpy() for name in names})
    except Exception as error:
        return f"ONNX Runtime: {said(error)}"
    apart = max(distances(found, expected, 0))
    return f"ONNX Runtime's results are {apart:.1e} away as well" if apart > TOLERANCE else ""
