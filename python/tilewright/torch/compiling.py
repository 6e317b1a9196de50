"""From a graph that TorchDynamo captured to what runs in its place.

AOTAutograd makes the graph functional: changes of inputs, and results that are views of inputs, are its own work after
the graph has run. A graph through which gradients flow is left to PyTorch as it was captured.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import TensorifyScalarRestartAnalysis
from torch._functorch.aot_autograd import make_boxed_func
from torch._guards import CompileContext
from torch.utils._python_dispatch import _disable_current_modes

from ..error import TVMError
from . import reporting
from .native import NativeGraph
from .options import Options
from .partition import Divided, divided
from .support import symbol_bounds

_log = logging.getLogger("tilewright.torch")


class _Trains(Exception):
    """Gradients flow through the graph."""


def compiled(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], options: Options, name: str | None = None
) -> Callable[..., Any]:
    """What runs in place of the graph; its inputs and results are those of the graph."""
    report = reporting.begun(name, *_frame(graph_module))
    report.graph_break = _graph_break(graph_module)
    started = time.perf_counter()

    def inference(functional: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        return _boxed(functional, options, report)

    def training(functional: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        raise _Trains

    detached = options.training == "detached"
    try:
        with torch.set_grad_enabled(torch.is_grad_enabled() and not detached):
            run = aot_autograd(fw_compiler=training, bw_compiler=training, inference_compiler=inference)(
                graph_module, list(example_inputs)
            )
    except TensorifyScalarRestartAnalysis:
        # TorchDynamo captures the graph again, with the floats that are no tensors as constants.
        reporting.forget(report)
        raise
    except Exception as error:
        if not _is_training(error):
            report.eager = f"an error: {' '.join(str(error).split())[:300]}"
            raise
        return _left_to_training(graph_module, report)
    finally:
        report.compile_seconds = time.perf_counter() - started
    return _counted(run, report)


def _boxed(functional: fx.GraphModule, options: Options, report: reporting.GraphReport) -> Callable[..., Any]:
    """What runs a functional graph: its sub-graphs compiled, and the rest by PyTorch."""
    report.sizes = symbol_bounds(functional)
    with _disable_current_modes():
        found = divided(functional, options)
        report.left += found.left
        if found.left and not options.fallback:
            raise TVMError(_refused(found.left))
        module, left = _with_native_parts(found, options, report)
    if left and not options.fallback:
        raise TVMError(_refused(left))
    report.left += left
    return make_boxed_func(module.forward)


def _with_native_parts(
    found: Divided, options: Options, report: reporting.GraphReport
) -> tuple[fx.GraphModule, list[reporting.Left]]:
    """The graph with its parts compiled. A part that does not compile is run as it was recorded, and told."""
    left = []
    for name, part in found.parts.items():
        told = reporting.NativePart([str(node.target) for node in part.operators])
        try:
            native = NativeGraph(part, options, told)
        except Exception as error:
            # Whatever goes wrong in compiling, the model runs; the report says so.
            reason = f"it did not compile: {' '.join(str(error).split())[:300] or type(error).__name__}"
            left += [reporting.Left(operator, reason) for operator in told.operators]
            _log.warning("a sub-graph of %d operators is left to PyTorch: %s", len(told.operators), reason)
            continue
        report.parts.append(told)
        setattr(found.module, name, native)
    return found.module, left


def _refused(left: Sequence[reporting.Left]) -> str:
    lines = dict.fromkeys(f"  {one.operator}: {one.reason}" + (f" at {one.place}" if one.place else "") for one in left)
    return "\n".join(["operators would be left to PyTorch, which `fallback=False` forbids:", *lines])


def _left_to_training(graph_module: fx.GraphModule, report: reporting.GraphReport) -> Callable[..., Any]:
    report.trains = True
    report.eager = (
        "gradients flow through it: call the model under `torch.no_grad()` or `torch.inference_mode()`, or compile it "
        "with `options={'training': 'detached'}`"
    )
    _log.info("graph %d of %s is left to PyTorch: %s", report.number, report.frame, report.eager)
    return _counted(graph_module.forward, report)


def _counted(run: Callable[..., Any], report: reporting.GraphReport) -> Callable[..., Any]:
    """The function, whose calls are counted."""

    def counted(*args: Any) -> Any:
        reporting.called(report)
        return run(*args)

    return counted


def _is_training(error: BaseException | None) -> bool:
    """Whether an error is, or was caused by, gradients that flow."""
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, _Trains):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _frame(graph_module: fx.GraphModule) -> tuple[str, str]:
    """The function that the graph is captured from, with its first line there, and PyTorch's number of the
    compilation."""
    traces = (node.stack_trace for node in graph_module.graph.nodes if node.stack_trace)
    frames = re.search(r'File "([^"]+)", line (\d+), in (\S+)', next(traces, ""))
    number = CompileContext.current_compile_id()
    return ("{2} ({0}:{1})".format(*frames.groups()) if frames else ""), str(number or "")


def _graph_break(graph_module: fx.GraphModule) -> str:
    """Why TorchDynamo ended the graph before its function ended."""
    reason = getattr(graph_module, "compile_subgraph_reason", None)
    if reason is None or not reason.graph_break:
        return ""
    text = str(reason.reason).strip().splitlines()
    where = f" at {reason.user_stack[-1].filename}:{reason.user_stack[-1].lineno}" if reason.user_stack else ""
    return f"{text[0] if text else 'no reason is known'}{where}"
