"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module.

Made by `scripts/stubs.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tilewright._core import Pass
from tilewright.ir.global_info import VDevice
from tilewright.relax.backend.pattern_registry import FusionPattern
from tilewright.relax.expr import Call, Expr
from tilewright.tir.expr import Var
from tilewright.tir.function import IndexMap, PrimFunc

def AdjustMatmulOrder() -> Any:
    """The pass `AdjustMatmulOrder`; `tilewright opt --pass AdjustMatmulOrder FILE` shows what it does."""

def AllocateWorkspace() -> Pass:
    """Gives functions that ask for memory (their attribute `WorkspaceSize`) a parameter for it.

    Only code generators of libraries make such functions, and none comes with the package: others stay as they
    are, and one with the attribute is an error.
    """

def AlterOpImpl(
    op_impl_map: Mapping[str, PrimFunc],
    op_buffer_transforms: Mapping[str, Sequence[IndexMap | Callable[..., Any]]],
    op_buffer_axis_separators: Mapping[str, Sequence[Sequence[int] | None]] | None = None,
) -> Pass:
    """Replaces PrimFuncs by the user's, by what their attribute `operator_name` says.

    `op_buffer_transforms` has a map of indices for each tensor that a call of such a function takes, then for
    each of its results: where the elements are in the tensors that the replacement takes and gives.
    `op_buffer_axis_separators` has the separators of each of these tensors: none, since tensors of a graph lie in
    memory of one dimension.
    """

def AnnotateTIROpPattern() -> Any:
    """The pass `AnnotateTIROpPattern`; `tilewright opt --pass AnnotateTIROpPattern FILE` shows what it does."""

def AttachAttrLayoutFreeBuffers() -> Any:
    """The pass `AttachAttrLayoutFreeBuffers`; `tilewright opt --pass AttachAttrLayoutFreeBuffers FILE` shows what it
    does.
    """

def AttachExternModules(extern_modules: Sequence[Any]) -> Pass:
    """Makes the functions of external modules (`nn.ObjectModule`, `nn.SourceModule`) known to this process.

    Programs find external functions by name when they call them, so the module itself stays as it is; an exported
    library does not contain them.
    """

def AttachGlobalSymbol() -> Any:
    """The pass `AttachGlobalSymbol`; `tilewright opt --pass AttachGlobalSymbol FILE` shows what it does."""

def BindParams(func_name: str, params: dict[str | int, Any]) -> Pass:
    """Turns parameters of a function, by name or position, into constants: tensors, or anything with `__dlpack__`."""

def BindSymbolicVars(binding_map: dict[Any, int], func_name: str | None = None) -> Pass:
    """Turns symbolic dimensions, by name or variable, into numbers: in one function, or in all."""

def BundleModelParams(param_tuple_name: Any = None) -> Any:
    """The weights of a function are one tuple. `tilewright opt --pass BundleModelParams FILE` shows what it does.

    `param_tuple_name`, a text or None: What the tuple is called; `model_params` if nothing is said.
    """

def CallTIRRewrite() -> Any:
    """The pass `CallTIRRewrite`; `tilewright opt --pass CallTIRRewrite FILE` shows what it does."""

def CanonicalizeBindings() -> Any:
    """The pass `CanonicalizeBindings`; `tilewright opt --pass CanonicalizeBindings FILE` shows what it does."""

def CombineParallelMatmul(check: Any = None) -> Any:
    """Products of one left operand are computed as one. `tilewright opt --pass CombineParallelMatmul FILE` shows
    what it does.

    `check`, a function or None: Whether to combine products: a function of the left operand, the list of right
    operands, the list of biases and a dict with `num_branches`, `bias_dim` and `activation`.
    """

def ComputePrimValue() -> Any:
    """The pass `ComputePrimValue`; `tilewright opt --pass ComputePrimValue FILE` shows what it does."""

def ConvertLayout(desired_layouts: Any) -> Any:
    """Operators work on tensors in the layouts that are wanted. `tilewright opt --pass ConvertLayout FILE` shows
    what it does.

    `desired_layouts`, a dict of lists of texts: By operator, such as `relax.nn.conv2d`, the layouts of its
    operands, and of its result if that is not the first of them: `["NHWC", "OHWI"]`.
    """

def ConvertToDataflow(min_size: int = 2) -> Any:
    """Bindings without side effects become dataflow blocks. `tilewright opt --pass ConvertToDataflow FILE` shows
    what it does.

    `min_size`, an integer: The least number of bindings of which a new block is made.
    """

def DataflowUseInplaceCalls() -> Any:
    """The pass `DataflowUseInplaceCalls`; `tilewright opt --pass DataflowUseInplaceCalls FILE` shows what it does."""

def DeadCodeElimination(entry_functions: Any = None) -> Any:
    """Removes unused bindings without effects, and unreachable private functions. `tilewright opt --pass
    DeadCodeElimination FILE` shows what it does.

    `entry_functions`, texts or None: The names of further root functions besides the externally visible ones.
    """

def DecomposeOps() -> Any:
    """The pass `DecomposeOps`; `tilewright opt --pass DecomposeOps FILE` shows what it does."""

def DecomposeOpsForInference(func_name: Any = None) -> Any:
    """Operators that training needs, or that only it needs, become simpler ones. `tilewright opt --pass
    DecomposeOpsForInference FILE` shows what it does.

    `func_name`, a text or None: The function that changes; all of the module, if none is named.
    """

def DecomposeOpsForTraining(func_name: Any = None) -> Any:
    """Operators without derivatives of their own become simpler ones that have them. `tilewright opt --pass
    DecomposeOpsForTraining FILE` shows what it does.

    `func_name`, a text or None: The function that changes; all of the module, if none is named.
    """

def EliminateCommonSubexpr(call_only: bool = False) -> Any:
    """What has been computed is not computed again. `tilewright opt --pass EliminateCommonSubexpr FILE` shows what
    it does.

    `call_only`, True or False: Whether only results of calls are shared, and not tuples and their fields.
    """

def ExpandMatmulOfSum() -> Any:
    """The pass `ExpandMatmulOfSum`; `tilewright opt --pass ExpandMatmulOfSum FILE` shows what it does."""

def ExpandTupleArguments() -> Any:
    """The pass `ExpandTupleArguments`; `tilewright opt --pass ExpandTupleArguments FILE` shows what it does."""

def FakeQuantizationToInteger(target: Any = None) -> Any:
    """Computes products of dequantised tensors from their integers. `tilewright opt --pass FakeQuantizationToInteger
    FILE` shows what it does.

    `target`, a text or None: The target that multiplies; by default that of the context.
    """

def FastMathTransform() -> Any:
    """The pass `FastMathTransform`; `tilewright opt --pass FastMathTransform FILE` shows what it does."""

def FoldConstant() -> Any:
    """The pass `FoldConstant`; `tilewright opt --pass FoldConstant FILE` shows what it does."""

def FoldScaleAxis() -> Any:
    """The pass `FoldScaleAxis`; `tilewright opt --pass FoldScaleAxis FILE` shows what it does."""

def FuseAttention() -> Any:
    """The pass `FuseAttention`; `tilewright opt --pass FuseAttention FILE` shows what it does."""

def FuseOps(fuse_opt_level: int = -1, fuse_dequantize: bool = False) -> Any:
    """Calls of PrimFuncs that may be computed together become one function. `tilewright opt --pass FuseOps FILE`
    shows what it does.

    `fuse_opt_level`, an integer: 0: nothing is fused; -1: as the level of the context says.

    `fuse_dequantize`, True or False: Whether products dequantise their operands themselves.
    """

def FuseOpsByPattern(
    patterns: Sequence[FusionPattern | tuple[Any, ...]],
    bind_constants: bool = True,
    annotate_codegen: bool = False,
    entry_functions: Sequence[str] | None = None,
) -> Pass:
    """What looks like one of the patterns becomes a function of its own, with the pattern's name as `Composite`.

    A pattern is a `FusionPattern`, or a tuple of a name, a pattern, patterns inside it by name, and a function
    that is told of a match (`PatternCheckContext`) and answers whether it is to be fused; the last two may be
    left out. Constants stay inside the functions with `bind_constants`; with `annotate_codegen` each function is
    put into one for the code generator that its name begins with.
    """

def FuseTIR() -> Any:
    """The pass `FuseTIR`; `tilewright opt --pass FuseTIR FILE` shows what it does."""

def FuseTransposeMatmul() -> Any:
    """The pass `FuseTransposeMatmul`; `tilewright opt --pass FuseTransposeMatmul FILE` shows what it does."""

def Gradient(func_name: str, require_grads: Var | Sequence[Var] | None = None, target_index: int = 0) -> Pass:
    """Adds the function `func_name` + `_adjoint`, which gives the results of `func_name` and the gradients of one of
    them, a float without dimensions, with respect to parameters: `(result, (gradient, ...))`.

    The parameters are those in `require_grads`, or all; `target_index` is the position of the result that is
    differentiated, where there are several. The function must be one dataflow block, of operators that have a
    rule and of `call_tir_with_grad`, whose rules are registered (`relax.training.utils.register_te_gradient`).
    What lies between `op.grad.start_checkpoint` and `op.grad.end_checkpoint` is computed again for the gradients.
    """

def IPCAllReduceRewrite(allreduce_strategy: int) -> Pass:
    """Leaves modules as they are: sums over several GPUs in memory that their processes share. Programs run on one
    device, so that a sum over all is its argument; `allreduce_strategy` chooses among the ways of others.
    """

def InlinePrivateFunctions() -> Any:
    """The pass `InlinePrivateFunctions`; `tilewright opt --pass InlinePrivateFunctions FILE` shows what it does."""

def InlineScalarConstants() -> Any:
    """The pass `InlineScalarConstants`; `tilewright opt --pass InlineScalarConstants FILE` shows what it does."""

def KillAfterLastUse() -> Any:
    """The pass `KillAfterLastUse`; `tilewright opt --pass KillAfterLastUse FILE` shows what it does."""

def LambdaLift() -> Any:
    """The pass `LambdaLift`; `tilewright opt --pass LambdaLift FILE` shows what it does."""

def LazyGetInput() -> Any:
    """The pass `LazyGetInput`; `tilewright opt --pass LazyGetInput FILE` shows what it does."""

def LazySetOutput() -> Any:
    """The pass `LazySetOutput`; `tilewright opt --pass LazySetOutput FILE` shows what it does."""

def LazyTransformParams(
    fget_item: str = "get_item",
    fset_item: str = "set_item",
    extra_get_item_params: Sequence[Expr] | None = None,
    extra_set_item_params: Sequence[Expr] | None = None,
) -> Pass:
    """Functions that transform parameters ask for each one (`fget_item`) and hand each result on (`fset_item`) by
    registered functions, instead of taking and giving tuples.
    """

def LegalizeOps(
    customize_legalize_map: dict[str, Callable[[Any, Call], Expr]] | None = None,
    skip_ops: Sequence[str] | None = None,
    enable_warning: bool = False,
) -> Pass:
    """Operators become calls of loop functions.

    Those in the map, by names such as `relax.add`, become what the function for them makes of the builder and the
    call; for others, and where the function gives the call itself, the operator's own rule is used. Rules that
    are registered (`legalize_ops.common.register_legalize`) are asked where the map has none. Operators in
    `skip_ops` stay as they are. With `enable_warning`, a warning names each operator that is left.
    """

def LiftTransformParams(shared_transform: bool = False) -> Any:
    """What is computed of the weights alone is computed once, before the first run. `tilewright opt --pass
    LiftTransformParams FILE` shows what it does.

    `shared_transform`, True, False or texts: Whether one function computes what all functions of the module need,
    or those of these names.
    """

def LowerAllocTensor() -> Any:
    """The pass `LowerAllocTensor`; `tilewright opt --pass LowerAllocTensor FILE` shows what it does."""

def LowerGPUIPCAllocStorage() -> Pass:
    """Leaves modules as they are: memory that processes of several GPUs share, which no storage can be."""

def LowerRuntimeBuiltin() -> Any:
    """The pass `LowerRuntimeBuiltin`; `tilewright opt --pass LowerRuntimeBuiltin FILE` shows what it does."""

def MergeCompositeFunctions() -> Any:
    """The pass `MergeCompositeFunctions`; `tilewright opt --pass MergeCompositeFunctions FILE` shows what it does."""

def Normalize() -> Any:
    """The pass `Normalize`; `tilewright opt --pass Normalize FILE` shows what it does."""

def NormalizeGlobalVar() -> Any:
    """The pass `NormalizeGlobalVar`; `tilewright opt --pass NormalizeGlobalVar FILE` shows what it does."""

def OptimizeLayoutTransform() -> Any:
    """The pass `OptimizeLayoutTransform`; `tilewright opt --pass OptimizeLayoutTransform FILE` shows what it does."""

def RealizeVDevice() -> Any:
    """The pass `RealizeVDevice`; `tilewright opt --pass RealizeVDevice FILE` shows what it does."""

def RemovePurityChecking() -> Any:
    """The pass `RemovePurityChecking`; `tilewright opt --pass RemovePurityChecking FILE` shows what it does."""

def RemoveRedundantReshape() -> Any:
    """The pass `RemoveRedundantReshape`; `tilewright opt --pass RemoveRedundantReshape FILE` shows what it does."""

def RemoveUnusedOutputs() -> Any:
    """The pass `RemoveUnusedOutputs`; `tilewright opt --pass RemoveUnusedOutputs FILE` shows what it does."""

def RemoveUnusedParameters() -> Any:
    """The pass `RemoveUnusedParameters`; `tilewright opt --pass RemoveUnusedParameters FILE` shows what it does."""

def ReorderPermuteDimsAfterConcat() -> Any:
    """The pass `ReorderPermuteDimsAfterConcat`; `tilewright opt --pass ReorderPermuteDimsAfterConcat FILE` shows
    what it does.
    """

def ReorderTakeAfterMatmul() -> Any:
    """The pass `ReorderTakeAfterMatmul`; `tilewright opt --pass ReorderTakeAfterMatmul FILE` shows what it does."""

def RewriteCUDAGraph() -> Pass:
    """Leaves modules as they are: launches of kernels are recorded only where the context's option
    `relax.backend.use_cuda_graph` says so, and that is an error, since there is no code for such devices.
    """

def RewriteDataflowReshape() -> Any:
    """The pass `RewriteDataflowReshape`; `tilewright opt --pass RewriteDataflowReshape FILE` shows what it does."""

def RunCodegen(
    target_options: Mapping[str, Mapping[str, Any]] | None = None,
    entry_functions: Sequence[str] | None = None,
) -> Pass:
    """Hands functions with the attribute `Codegen` to the code generators of these names, and calls them by name.

    The generator `name` is the registered function `relax.ext.name`. It gets the list of its functions, its
    options and an empty dict (constants stay in the functions), and gives external modules that have functions of
    their global symbols; or it registers such functions itself.
    """

def SplitLayoutRewritePreproc() -> Any:
    """The pass `SplitLayoutRewritePreproc`; `tilewright opt --pass SplitLayoutRewritePreproc FILE` shows what it
    does.
    """

def StaticPlanBlockMemory() -> Any:
    """The pass `StaticPlanBlockMemory`; `tilewright opt --pass StaticPlanBlockMemory FILE` shows what it does."""

def ToMixedPrecision(out_dtype: str = "float32", fp16_input_names: Any = None) -> Any:
    """Products of float32 tensors are computed of float16 ones. `tilewright opt --pass ToMixedPrecision FILE` shows
    what it does.

    `out_dtype`, a data type: The type of sums of products, `float32` or `float16`.

    `fp16_input_names`, texts or None: The names of parameters that become float16 tensors.
    """

def ToNonDataflow() -> Any:
    """The pass `ToNonDataflow`; `tilewright opt --pass ToNonDataflow FILE` shows what it does."""

def TopologicalSort(order: str = "depth-first", direction: str = "from-inputs") -> Any:
    """The bindings of dataflow blocks in another order that respects what they need. `tilewright opt --pass
    TopologicalSort FILE` shows what it does.

    `order`, a text: `depth-first` or `breadth-first`.

    `direction`, a text: `from-inputs` or `from-outputs`.
    """

def UpdateParamStructInfo(sinfo_func: Any) -> Any:
    """Parameters have other types, and all that is computed of them has. `tilewright opt --pass
    UpdateParamStructInfo FILE` shows what it does.

    `sinfo_func`, a function: A function of a parameter that gives its type, or None where it keeps its own.
    """

def UpdateVDevice(new_vdevice: VDevice, index: int) -> Pass:
    """Replaces the device at a position of the module's list by another, wherever it is named."""

def VMBuiltinLower() -> Any:
    """The pass `LowerRuntimeBuiltin`; `tilewright opt --pass LowerRuntimeBuiltin FILE` shows what it does."""

def VMShapeLower(*, emit_err_ctx: bool = True) -> Pass:
    """Symbolic dimensions as slots of a tensor that the function allocates, and checks of its parameters.

    `emit_err_ctx` is accepted: errors always say which value does not fit.
    """

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
