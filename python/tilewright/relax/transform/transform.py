"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module.

There is a function here for every pass of the compiler, under the pass's own name and with the parameters that it
declares, so that `LegalizeOps()` is the pass `LegalizeOps`; those that take tensors or patterns are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from ..._core import IRModule, Pass, bind_params, bind_symbolic_vars, graph_pass_names, make_pass, pass_signature
from ...ir.transform import function_pass_of
from ..expr import DataflowBlock, Function
from ..expr_functor import PyExprMutator

__all__ = ["BindParams", "BindSymbolicVars", "dataflowblock_pass", "function_pass"]


def BindParams(func_name: str, params: dict[str | int, Any]) -> Pass:
    """Turns parameters of a function, by name or position, into constants: tensors, or anything with `__dlpack__`."""
    return bind_params(func_name, params)


def BindSymbolicVars(binding_map: dict[Any, int], func_name: str | None = None) -> Pass:
    """Turns symbolic dimensions, by name or variable, into numbers: in one function, or in all."""
    return bind_symbolic_vars(binding_map, func_name)


def function_pass(pass_func: Any = None, opt_level: int = 0, name: str | None = None) -> Any:
    """Makes a pass of a Python function `(function, module, context) -> function` on graph functions.

    Also of a class with a method `transform_function` of these arguments, and with arguments as a decorator.
    """
    return function_pass_of(Function, pass_func, opt_level, name)


def dataflowblock_pass(pass_func: Any = None, opt_level: int = 0, name: str | None = None) -> Any:
    """Makes a pass of a Python function `(block, module, context) -> block` on dataflow blocks.

    Also of a class with a method `transform_dataflowblock` of these arguments, and with arguments as a decorator.
    """

    def decorate(work: Any) -> Any:
        if isinstance(work, type):
            return lambda *args, **kwargs: decorate(work(*args, **kwargs).transform_dataflowblock)
        return function_pass(_on_blocks(work), opt_level, name or work.__name__)

    return decorate if pass_func is None else decorate(pass_func)


def _on_blocks(work: Any) -> Any:
    def on_function(function: Function, module: IRModule, context: Any) -> Function:
        class Blocks(PyExprMutator):
            def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
                return super().visit_dataflow_block_(work(block, module, context))

        return Blocks(module).visit_expr(function)

    on_function.__name__ = work.__name__
    return on_function


def _of_table(name: str) -> Callable[..., Pass]:
    """The function that makes a pass of the compiler's table, with the signature that the table declares."""
    doc, table = pass_signature(name)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    params = [Parameter(param, kind, default=(*default, Parameter.empty)[0]) for param, default, _, _ in table]
    signature = Signature(params, return_annotation=Pass)

    def make(*args: Any, **kwargs: Any) -> Pass:
        return make_pass(name, signature.bind(*args, **kwargs).arguments)

    make.__name__ = make.__qualname__ = name
    make.__signature__ = signature  # type: ignore[attr-defined]
    lines = [f"{doc or f'The pass `{name}`;'} `tilewright opt --pass {name} FILE` shows what it does."]
    lines += [f"`{param}`, {words}: {text}" for param, _, words, text in table]
    make.__doc__ = "\n\n".join(lines)
    return make


for _name in graph_pass_names():
    globals()[_name] = _of_table(_name)
    __all__ += [_name]
