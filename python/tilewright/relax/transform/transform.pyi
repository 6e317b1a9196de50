"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright._core import Pass

def AttachGlobalSymbol() -> Pass:
    """The pass `AttachGlobalSymbol`; `tilewright opt --pass AttachGlobalSymbol FILE` shows what it does."""

def BindParams(func_name: str, params: dict[str | int, Any]) -> Pass:
    """Turns parameters of a function, by name or position, into constants: tensors, or anything with `__dlpack__`."""

def BindSymbolicVars(binding_map: dict[Any, int], func_name: str | None = None) -> Pass:
    """Turns symbolic dimensions, by name or variable, into numbers: in one function, or in all."""

def CallTIRRewrite() -> Pass:
    """The pass `CallTIRRewrite`; `tilewright opt --pass CallTIRRewrite FILE` shows what it does."""

def CanonicalizeBindings() -> Pass:
    """The pass `CanonicalizeBindings`; `tilewright opt --pass CanonicalizeBindings FILE` shows what it does."""

def DataflowUseInplaceCalls() -> Pass:
    """The pass `DataflowUseInplaceCalls`; `tilewright opt --pass DataflowUseInplaceCalls FILE` shows what it does."""

def DeadCodeElimination() -> Pass:
    """The pass `DeadCodeElimination`; `tilewright opt --pass DeadCodeElimination FILE` shows what it does."""

def EliminateCommonSubexpr() -> Pass:
    """The pass `EliminateCommonSubexpr`; `tilewright opt --pass EliminateCommonSubexpr FILE` shows what it does."""

def FoldConstant() -> Pass:
    """The pass `FoldConstant`; `tilewright opt --pass FoldConstant FILE` shows what it does."""

def InlinePrivateFunctions() -> Pass:
    """The pass `InlinePrivateFunctions`; `tilewright opt --pass InlinePrivateFunctions FILE` shows what it does."""

def KillAfterLastUse() -> Pass:
    """The pass `KillAfterLastUse`; `tilewright opt --pass KillAfterLastUse FILE` shows what it does."""

def LegalizeOps() -> Pass:
    """The pass `LegalizeOps`; `tilewright opt --pass LegalizeOps FILE` shows what it does."""

def MergeCompositeFunctions() -> Pass:
    """The pass `MergeCompositeFunctions`; `tilewright opt --pass MergeCompositeFunctions FILE` shows what it does."""

def Normalize() -> Pass:
    """The pass `Normalize`; `tilewright opt --pass Normalize FILE` shows what it does."""

def NormalizeGlobalVar() -> Pass:
    """The pass `NormalizeGlobalVar`; `tilewright opt --pass NormalizeGlobalVar FILE` shows what it does."""

def RemovePurityChecking() -> Pass:
    """The pass `RemovePurityChecking`; `tilewright opt --pass RemovePurityChecking FILE` shows what it does."""

def StaticPlanBlockMemory() -> Pass:
    """The pass `StaticPlanBlockMemory`; `tilewright opt --pass StaticPlanBlockMemory FILE` shows what it does."""

def ToNonDataflow() -> Pass:
    """The pass `ToNonDataflow`; `tilewright opt --pass ToNonDataflow FILE` shows what it does."""

def dataflowblock_pass(pass_func: Any = None, opt_level: int = 0, name: str | None = None) -> Any:
    """Makes a pass of a Python function `(block, module, context) -> block` on dataflow blocks.

    Also of a class with a method `transform_dataflowblock` of these arguments, and with arguments as a decorator.
    """

def function_pass(pass_func: Any = None, opt_level: int = 0, name: str | None = None) -> Any:
    """Makes a pass of a Python function `(function, module, context) -> function` on graph functions.

    Also of a class with a method `transform_function` of these arguments, and with arguments as a decorator.
    """
