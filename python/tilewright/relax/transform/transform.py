"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module.

There is a function here for every pass of the compiler, under the pass's own name and with the parameters that it
declares, so that `LegalizeOps()` is the pass `LegalizeOps`; those that take tensors, patterns or rules are written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any

from ..._core import (
    IRModule,
    Pass,
    alter_op_impl,
    bind_params,
    bind_symbolic_vars,
    fuse_ops_by_pattern,
    gradient,
    graph_pass_names,
    make_pass,
    pass_signature,
)
from ...error import TVMError
from ...ir.attrs import AttrInt
from ...ir.global_info import VDevice
from ...ir.transform import ModulePass, Sequential, class_of_passes, function_pass_of, over_functions, own_pass
from ...runtime.packed_func import code_generator
from ...tir.function import IndexMap, PrimFunc
from ..backend.pattern_registry import FusionPattern
from ..expr import Call, DataflowBlock, Expr, Function, Var
from ..expr_functor import PyExprMutator
from .gradients import loop_gradient
from .legalize_ops.common import registered

__all__ = [
    "AllocateWorkspace",
    "AlterOpImpl",
    "AttachExternModules",
    "BindParams",
    "BindSymbolicVars",
    "DataflowBlockPass",
    "FunctionPass",
    "FuseOpsByPattern",
    "FusionPattern",
    "Gradient",
    "IPCAllReduceRewrite",
    "LazyTransformParams",
    "LegalizeOps",
    "LowerGPUIPCAllocStorage",
    "PatternCheckContext",
    "RewriteCUDAGraph",
    "RunCodegen",
    "UpdateVDevice",
    "VMBuiltinLower",
    "VMShapeLower",
    "dataflowblock_pass",
    "function_pass",
]


def AlterOpImpl(
    op_impl_map: Mapping[str, PrimFunc],
    op_buffer_transforms: Mapping[str, Sequence[IndexMap | Callable[..., Any]]],
    op_buffer_axis_separators: Mapping[str, Sequence[Sequence[int] | None]] | None = None,
) -> Pass:
    """Replaces PrimFuncs by the user's, by what their attribute `operator_name` says.

    `op_buffer_transforms` has a map of indices for each tensor that a call of such a function takes, then for each of
    its results: where the elements are in the tensors that the replacement takes and gives.
    `op_buffer_axis_separators` has the separators of each of these tensors: none, since tensors of a graph lie in
    memory of one dimension.
    """
    for operator, separators in (op_buffer_axis_separators or {}).items():
        if any(of_tensor for of_tensor in separators or ()):
            raise TVMError(f"`{operator}`: tensors of a graph have no axis separators, found {separators}")
    return alter_op_impl(dict(op_impl_map), dict(op_buffer_transforms))


def BindParams(func_name: str, params: dict[str | int, Any]) -> Pass:
    """Turns parameters of a function, by name or position, into constants: tensors, or anything with `__dlpack__`."""
    return bind_params(func_name, params)


def BindSymbolicVars(binding_map: dict[Any, int], func_name: str | None = None) -> Pass:
    """Turns symbolic dimensions, by name or variable, into numbers: in one function, or in all."""
    return bind_symbolic_vars(binding_map, func_name)


def AttachExternModules(extern_modules: Sequence[Any]) -> Pass:
    """Makes the functions of external modules (`nn.ObjectModule`, `nn.SourceModule`) known to this process.

    Programs find external functions by name when they call them, so the module itself stays as it is; an exported
    library does not contain them.
    """
    modules = list(extern_modules)

    def attach(module: IRModule, _: Any) -> IRModule:
        for one in modules:
            one.load()
        return module

    return Pass.from_python(attach, "AttachExternModules", 0)


def AllocateWorkspace() -> Pass:
    """Gives functions that ask for memory (their attribute `WorkspaceSize`) a parameter for it.

    Only code generators of libraries make such functions, and none comes with the package: others stay as they are, and
    one with the attribute is an error.
    """

    def refuse(module: IRModule, _: Any) -> IRModule:
        for var, function in module.functions_items():
            if function.attrs and "WorkspaceSize" in function.attrs:
                raise TVMError(f"`{var.name_hint}` asks for memory: no code generator here makes such functions")
        return module

    return Pass.from_python(refuse, "AllocateWorkspace", 0)


def UpdateVDevice(new_vdevice: VDevice, index: int) -> Pass:
    """Replaces the device at a position of the module's list by another, wherever it is named."""
    where = {"vdevice_id": new_vdevice.vdevice_id, "memory_scope": new_vdevice.memory_scope}
    return make_pass("UpdateVDevice", {"index": index, "target": new_vdevice.target_text, **where})


def RewriteCUDAGraph() -> Pass:
    """Leaves modules as they are: launches of kernels are recorded only where the context's option
    `relax.backend.use_cuda_graph` says so, and that is an error, since there is no code for such devices."""

    def refuse(module: IRModule, context: Any) -> IRModule:
        if context.config.get("relax.backend.use_cuda_graph"):
            raise TVMError("launches of kernels are not recorded: there is no code for CUDA")
        return module

    return Pass.from_python(refuse, "RewriteCUDAGraph", 0)


def IPCAllReduceRewrite(allreduce_strategy: int) -> Pass:
    """Leaves modules as they are: sums over several GPUs in memory that their processes share. Programs run on one
    device, so that a sum over all is its argument; `allreduce_strategy` chooses among the ways of others."""
    return Pass.from_python(lambda module, _: module, f"IPCAllReduceRewrite({int(allreduce_strategy)})", 0)


def LowerGPUIPCAllocStorage() -> Pass:
    """Leaves modules as they are: memory that processes of several GPUs share, which no storage can be."""
    return Pass.from_python(lambda module, _: module, "LowerGPUIPCAllocStorage", 0)


@dataclass(frozen=True, eq=False)
class PatternCheckContext:
    """What the check of a pattern is told of a match.

    The expression that the pattern matches, those of the patterns inside it that have names, the bindings that
    would be fused, and who uses each variable of the block.
    """

    matched_expr: Expr
    annotated_expr: Mapping[str, Expr]
    matched_bindings: Mapping[Var, Expr]
    var_usages: Mapping[Var, Sequence[Var]]

    @property
    def value_to_bound_var(self) -> dict[Expr, Var]:
        """The variable of each value that would be fused."""
        return {value: var for var, value in self.matched_bindings.items()}


def FuseOpsByPattern(
    patterns: Sequence[FusionPattern | tuple[Any, ...]],
    bind_constants: bool = True,
    annotate_codegen: bool = False,
    entry_functions: Sequence[str] | None = None,
) -> Pass:
    """What looks like one of the patterns becomes a function of its own, with the pattern's name as `Composite`.

    A pattern is a `FusionPattern`, or a tuple of a name, a pattern, patterns inside it by name, and a function that is
    told of a match (`PatternCheckContext`) and answers whether it is to be fused; the last two may be left out.
    Constants stay inside the functions with `bind_constants`; with `annotate_codegen` each function is put into one for
    the code generator that its name begins with.
    """

    def parts(pattern: FusionPattern | tuple[Any, ...]) -> tuple[str, Any, dict[str, Any], Callable[..., bool] | None]:
        one = pattern if isinstance(pattern, FusionPattern) else FusionPattern(*pattern)
        check = one.check
        told = None if check is None else lambda *found: check(PatternCheckContext(*found))
        return one.name, one.pattern, dict(one.annotation_patterns or {}), told

    return fuse_ops_by_pattern(
        [parts(one) for one in patterns], bind_constants, annotate_codegen, entry_functions or []
    )


def Gradient(func_name: str, require_grads: Var | Sequence[Var] | None = None, target_index: int = 0) -> Pass:
    """Adds the function `func_name` + `_adjoint`, which gives the results of `func_name` and the gradients of one of
    them, a float without dimensions, with respect to parameters: `(result, (gradient, ...))`.

    The parameters are those in `require_grads`, or all; `target_index` is the position of the result that is
    differentiated, where there are several. The function must be one dataflow block, of operators that have a rule and
    of `call_tir_with_grad`, whose rules are registered (`relax.training.utils.register_te_gradient`). What lies between
    `op.grad.start_checkpoint` and `op.grad.end_checkpoint` is computed again for the gradients.
    """
    wanted = [require_grads] if isinstance(require_grads, Var) else require_grads
    return gradient(func_name, None if wanted is None else list(wanted), target_index, loop_gradient)


def LegalizeOps(
    customize_legalize_map: dict[str, Callable[[Any, Call], Expr]] | None = None,
    skip_ops: Sequence[str] | None = None,
    enable_warning: bool = False,
) -> Pass:
    """Operators become calls of loop functions.

    Those in the map, by names such as `relax.add`, become what the function for them makes of the builder and the call;
    for others, and where the function gives the call itself, the operator's own rule is used. Rules that are
    registered (`legalize_ops.common.register_legalize`) are asked where the map has none. Operators in `skip_ops` stay
    as they are. With `enable_warning`, a warning names each operator that is left.
    """
    said = {"skip_ops": None if skip_ops is None else list(skip_ops), "enable_warning": enable_warning}
    native = make_pass("LegalizeOps", said)
    own = by_rules(customize_legalize_map or {}, skip_ops or ())
    return native if own is None else Sequential([own, native], name="LegalizeOps")


def RunCodegen(
    target_options: Mapping[str, Mapping[str, Any]] | None = None, entry_functions: Sequence[str] | None = None
) -> Pass:
    """Hands functions with the attribute `Codegen` to the code generators of these names, and calls them by name.

    The generator `name` is the registered function `relax.ext.name`. It gets the list of its functions, its options
    and an empty dict (constants stay in the functions), and gives external modules that have functions of their global
    symbols; or it registers such functions itself.
    """

    def generate(name: str, functions: Sequence[Function], options: Mapping[str, Any]) -> None:
        for made in code_generator(name)(functions, options, {}) or ():
            made.load()

    given = {"target_options": target_options, "entry_functions": entry_functions, "generate": generate}
    return make_pass("RunCodegen", given)


def VMShapeLower(*, emit_err_ctx: bool = True) -> Pass:
    """Symbolic dimensions as slots of a tensor that the function allocates, and checks of its parameters.

    `emit_err_ctx` is accepted: errors always say which value does not fit.
    """
    return make_pass("VMShapeLower", {})


def LazyTransformParams(
    fget_item: str = "get_item",
    fset_item: str = "set_item",
    extra_get_item_params: Sequence[Expr] | None = None,
    extra_set_item_params: Sequence[Expr] | None = None,
) -> Pass:
    """Functions that transform parameters ask for each one (`fget_item`) and hand each result on (`fset_item`) by
    registered functions, instead of taking and giving tuples.
    """
    if extra_get_item_params or extra_set_item_params:
        raise TVMError("the functions get the number and the name of a parameter: no further arguments are passed on")
    return make_pass("LazyTransformParams", {"fget_item": fget_item, "fset_item": fset_item})


def by_rules(rules: Mapping[str, Callable[[Any, Call], Expr]], skipped: Sequence[str] = ()) -> Pass | None:
    """The pass that asks these rules and those that are registered, but for some operators; nothing without any."""
    left_out = {f"relax.{name.removeprefix('relax.')}" for name in skipped}
    rules = {name: rule for name, rule in {**registered, **rules}.items() if name not in left_out}
    if not rules:
        return None

    class Rules(PyExprMutator):
        def visit_call_(self, call: Call) -> Expr:
            call = super().visit_call_(call)
            rule = rules.get(getattr(call.op, "name", ""))
            return call if rule is None else rule(self.builder_, call)

    def customized(module: IRModule, _: Any) -> IRModule:
        mutator = Rules(module)
        for var, function in module.functions_items():
            if isinstance(function, Function):
                mutator.builder_.update_func(var, mutator.visit_expr(function))
        return mutator.builder_.finalize()

    return Pass.from_python(customized, "LegalizeOps", 0)


class FunctionPass(ModulePass):
    """A pass written in Python that works function by function."""


class DataflowBlockPass(ModulePass):
    """A pass written in Python that works on one dataflow block after the other."""


def function_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a Python function `(function, module, context) -> function` on graph functions.

    Also of a class with a method `transform_function` of these arguments, and with arguments as a decorator.
    """
    return function_pass_of(Function, pass_func, (opt_level, name, required), FunctionPass)


def dataflowblock_pass(
    pass_func: Any = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a Python function `(block, module, context) -> block` on dataflow blocks.

    Also of a class with a method `transform_dataflowblock` of these arguments, and with arguments as a decorator.
    """
    info = (opt_level, name, required)

    def decorate(work: Any) -> Any:
        over = lambda method: over_functions(Function, _on_blocks(method))  # noqa: E731
        if isinstance(work, type):
            return class_of_passes(work, "transform_dataflowblock", over, kind=DataflowBlockPass, info=info)
        return own_pass(over(work), opt_level, name or work.__name__, required, DataflowBlockPass)

    return decorate if pass_func is None else decorate(pass_func)


def _on_blocks(work: Any) -> Any:
    def on_function(function: Function, module: IRModule, context: Any) -> Function:
        class Blocks(PyExprMutator):
            def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
                return super().visit_dataflow_block_(work(block, module, context))

        return Blocks(module).visit_expr(function)

    on_function.__name__ = getattr(work, "__name__", "transform_dataflowblock")
    return on_function


def _of_table(name: str) -> Callable[..., Pass]:
    """The function that makes a pass of the compiler's table, with the signature that the table declares."""
    doc, table = pass_signature(name)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    defaults = [(*default, Parameter.empty)[0] for _, default, _, _ in table]
    plain = [int(default) if isinstance(default, AttrInt) else default for default in defaults]
    params = [Parameter(row[0], kind, default=default) for row, default in zip(table, plain, strict=True)]
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
    if _name not in __all__:
        globals()[_name] = _of_table(_name)
        __all__ += [_name]

# The name of earlier years.
VMBuiltinLower = globals()["LowerRuntimeBuiltin"]


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__package__, name)
