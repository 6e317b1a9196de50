"""`R`: graph functions, binding by binding."""

from __future__ import annotations

from typing import Any

from ... import relax as _relax
from ...error import TVMError
from ...relax import op as _op
from ...relax.expr import *
from ...relax.expr import (
    BindingBlock,
    Call,
    DataflowBlock,
    DataflowVar,
    DataTypeImm,
    MatchCast,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringImm,
    Var,
    VarBinding,
)
from ...relax.expr import If as _If
from ...relax.expr import Tuple as _Tuple
from ...relax.expr_functor import PyExprMutator
from ...relax.op import *
from ...relax.struct_info import (
    FuncStructInfo,
    ObjectStructInfo,
    PrimStructInfo,
    ShapeStructInfo,
    StructInfo,
    TensorStructInfo,
    TupleStructInfo,
)
from ...runtime import cpu, cuda, device
from ..spelling import Spelling
from .base import Frame, IRBuilder, expected_frame

__all__ = [
    "Callable", "Else", "If", "Object", "Prim", "builtin", "call_packed", "call_te", "cpu", "cuda", "device", "grad", "image",
    "inspect", "memory", "vm", "Shape", "Tensor", "Then", "Tuple", "arg", "dataflow", "dtype", "emit",
    "emit_match_cast", "emit_te", "emit_var_binding", "emit_with_sinfo", "func_attr", "func_name", "func_ret_struct_info",
    "func_ret_value", "function", "match_cast", "nn", "output", "prim_value", "shape", "str", "tuple",
    *_relax.expr.__all__, *_op.__all__,
]  # fmt: skip

nn, builtin, memory, vm, image, grad = _op.nn, _op.builtin, _op.memory, _op.vm, _op.image, _op.grad
inspect = _op.inspect
_str, _tuple = str, tuple
_text = _str
Object = ObjectStructInfo


def Tensor(shape: Any = None, dtype: Any = None, vdevice: Any = None, ndim: int = -1) -> TensorStructInfo:
    """The struct info of a tensor; a text alone is its data type, and without one the type is not known."""
    if isinstance(shape, _str) and dtype is None:
        shape, dtype = None, shape
    if shape is not None and not isinstance(shape, (list, _tuple, _relax.Expr)):
        raise ValueError(f"a shape is a list of dimensions or a graph expression, found {shape!r}")
    return TensorStructInfo(shape, "" if dtype is None else dtype, vdevice, ndim)


def Shape(values: Any = None, ndim: int = -1) -> ShapeStructInfo:
    """The struct info of a shape."""
    return ShapeStructInfo(values, ndim)


def Prim(dtype: Any = None, value: Any = None) -> PrimStructInfo:
    """The struct info of a scalar: of a type, or of a value."""
    if dtype is not None and value is not None:
        raise TypeError("a scalar has a type or a value: give one of `dtype` and `value`")
    if dtype is None and value is None:
        raise TypeError("a scalar has a type or a value, found neither")
    return PrimStructInfo(dtype, value)


def Callable(
    params: Any = None, ret: Any = None, purity: bool | None = None, derive_func: Any = None
) -> FuncStructInfo:
    """The struct info of a function; without parameters that of any that gives such a result."""
    ret = _info(ret)
    if params is None:
        return FuncStructInfo.opaque_func(ret=ret, derive_func=derive_func, purity=bool(purity))
    listed = params if isinstance(params, (list, _tuple)) else [params]
    if ret is None:
        raise ValueError("a function whose parameters are given has a result: `ret` is missing")
    return FuncStructInfo([_info(param) for param in listed], ret, True if purity is None else purity)


def _info(value: Any) -> Any:
    """A struct info, of a name such as `R.Tensor` without arguments too."""
    return value.from_script() if isinstance(value, Spelling) else value


def Tuple(*fields: Any) -> Any:
    """The struct info of a tuple, of struct infos; a tuple, of values."""
    listed = fields[0] if len(fields) == 1 and isinstance(fields[0], (list, _tuple)) else fields
    listed = [_info(field) for field in listed]
    return TupleStructInfo(listed) if all(isinstance(field, StructInfo) for field in listed) else _Tuple(list(listed))


def tuple(*fields: Any) -> Any:
    """Several values as one."""
    return _Tuple(list(fields))


class BlockFrame(Frame):
    """Bindings in the making."""

    def __init__(self) -> None:
        self.blocks: list[BindingBlock] = []
        self.bindings: list[Any] = []

    def close(self) -> None:
        """Ends the block that is open."""
        if self.bindings:
            self.blocks.append(BindingBlock(self.bindings))
        self.bindings = []

    def add(self, value: Any, struct_info: StructInfo | None, name: str = "gv") -> Var:
        """Binds a value to a new variable."""
        dataflow = isinstance(self, DataflowFrame)
        info = struct_info or value.struct_info
        var = (DataflowVar if dataflow else Var)(_fresh("lv" if dataflow else name), info)
        self.bindings.append(VarBinding(var, value))
        return var


def _fresh(prefix: str) -> str:
    frame = expected_frame(FunctionFrame, "a binding")
    frame.count[prefix] = frame.count.get(prefix, -1) + 1
    return prefix if frame.count[prefix] == 0 else f"{prefix}{frame.count[prefix]}"


class FunctionFrame(BlockFrame):
    """A function in the making."""

    def __init__(self, pure: bool, private: bool) -> None:
        super().__init__()
        self.name, self.pure, self.private = None, pure, private
        self.params: list[Var] = []
        self.attrs: dict[str, Any] = {}
        self.ret: StructInfo | None = None
        self.result: Any = None
        self.count: dict[str, int] = {}

    def end(self, around: Frame | None) -> None:
        """Finishes the function: a module gets it under its name."""
        self.close()
        if self.result is None:
            raise TVMError("`R.func_ret_value` is not called in the function")
        if self.name and not self.private:
            self.attrs.setdefault("global_symbol", self.name)
        function = _relax.Function(self.params, SeqExpr(self.blocks, self.result), self.ret, self.pure, self.attrs)
        from ...ir.module import IRModule
        from ...relax.transform import Normalize
        from .ir import IRModuleFrame

        name = self.name or "main"
        beside = around.functions if isinstance(around, IRModuleFrame) else {}
        beside = {name: other for name, other in beside.items() if other is not None}
        function = Normalize()(IRModule(beside | {name: function}))[name]
        if isinstance(around, IRModuleFrame):
            around.functions[name] = function
        else:
            IRBuilder.current().finish(function)


def function(is_pure: bool = True, is_private: bool = False) -> FunctionFrame:
    """A function."""
    return FunctionFrame(is_pure, is_private)


def _function(what: str) -> FunctionFrame:
    return expected_frame(FunctionFrame, what)


def func_name(name: str) -> None:
    """Names the function."""
    _function("`R.func_name`").name = name


def func_attr(attrs: dict[str, Any]) -> None:
    """Sets attributes of the function."""
    _function("`R.func_attr`").attrs.update(attrs)


def func_ret_struct_info(ret_sinfo: StructInfo) -> None:
    """Says what the function returns."""
    _function("`R.func_ret_struct_info`").ret = ret_sinfo


def func_ret_value(value: Any) -> None:
    """The function's result."""
    _function("`R.func_ret_value`").result = value


def arg(name: str, struct_info: StructInfo) -> Var:
    """A parameter."""
    var = Var(name, struct_info)
    _function("`R.arg`").params.append(var)
    return var


class DataflowFrame(BlockFrame):
    """A dataflow block under construction; `output_vars` are its outputs, once it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.outputs: list[Any] = []
        self.output_vars: list[Var] = []

    def begin(self) -> None:
        """Ends the block before."""
        frames = [frame for frame in IRBuilder.current().frames if isinstance(frame, BlockFrame)]
        frames[-2].close()

    def end(self, around: Frame | None) -> None:
        """Adds the block, with its outputs as visible variables."""
        renamed = {var: Var(var.name_hint, var.struct_info) for var in self.outputs}
        mutator = _Outputs(renamed)
        block = mutator.visit_binding_block(DataflowBlock(self.bindings))
        self.output_vars = [renamed[var] for var in self.outputs]
        around.blocks.append(block)


class _Outputs(PyExprMutator):
    def __init__(self, renamed: dict[Any, Var]) -> None:
        super().__init__()
        self.renamed = renamed
        for old, new in renamed.items():
            self.set_var_remap(old, new)

    def visit_dataflow_var_def_(self, var: Any) -> Any:
        return self.renamed.get(var, var)


def dataflow() -> DataflowFrame:
    """A block without side effects."""
    return DataflowFrame()


def output(*variables: Var) -> None:
    """The outputs of the dataflow block."""
    expected_frame(DataflowFrame, "`R.output`", innermost=True).outputs = list(variables)


def _block(what: str) -> BlockFrame:
    return expected_frame(BlockFrame, what)


def emit(value: Any, annotate_struct_info: StructInfo | None = None) -> Var:
    """Binds a value to a new variable."""
    return _block("`R.emit`").add(value, annotate_struct_info)


def emit_match_cast(value: Any, struct_info: StructInfo) -> Var:
    """The value, checked at run time against the struct info."""
    frame = _block("`R.match_cast`")
    dataflow = isinstance(frame, DataflowFrame)
    var = (DataflowVar if dataflow else Var)(_fresh("lv" if dataflow else "gv"), struct_info)
    frame.bindings.append(MatchCast(var, value, struct_info))
    return var


match_cast = emit_match_cast


def emit_var_binding(value: VarBinding) -> Var:
    """Adds a binding as it is."""
    _block("`R.emit_var_binding`").bindings.append(value)
    return value.var


def emit_with_sinfo(op: str, args: Any, sinfo_args: Any = None) -> Call:
    """A call of an operator by its name, with the struct info of its result."""
    from ...ir.op import Op

    return Call(
        Op.get(op), list(args), None, sinfo_args if sinfo_args is None or isinstance(sinfo_args, list) else [sinfo_args]
    )


def call_packed(func: Any, *args: Any, sinfo_args: Any = None, **kwargs: Any) -> Call:
    """A call of a packed function of the runtime by its name."""
    infos = sinfo_args if isinstance(sinfo_args, list) else [] if sinfo_args is None else [sinfo_args]
    infos = list(sinfo_args) if isinstance(sinfo_args, _tuple) else infos
    infos = [info.from_script() if hasattr(info, "from_script") else info for info in infos]
    return Call(_relax.ExternFunc(func) if isinstance(func, _text) else func, list(args), kwargs or None, infos)


def _te_parts(func: Any, args: Any, kwargs: dict[Any, Any]) -> list[Any]:
    """The PrimFunc of what a function of tensor expressions computes, its name, and of a call of it the arguments, the
    struct infos of the results and the scalars after them."""
    builder = _relax.BlockBuilder()
    call = builder.call_te(func, *args, **kwargs)
    function, values = call.args[:2]
    sizes = list(dict(call.attrs or {}).get("tir_vars", ()))
    said = list(call.sinfo_args)
    infos = list(said[0].fields) if len(said) == 1 and isinstance(said[0], TupleStructInfo) else said
    prim = builder.get()[function].without_attr("global_symbol")
    return [prim, function.name_hint, list(values), infos, sizes]


def emit_te(func: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of what a function of tensor expressions computes, whose PrimFunc the module gets.

    In a text that is read these are the parts of the call.
    """
    parts = _te_parts(func, args, kwargs)
    if not IRBuilder.is_in_scope():
        return parts
    from .ir import IRModuleFrame

    prim, name, values, infos, sizes = parts
    functions = expected_frame(IRModuleFrame, "`R.emit_te`").functions
    taken = (f"{name}_{number}" if number else name for number in range(len(functions) + 1))
    name = next(name for name in taken if name not in functions)
    functions[name] = prim
    variable = _relax.GlobalVar(name, prim.struct_info)
    return emit(_relax.call_tir(variable, list(values), infos if len(infos) > 1 else infos[0], sizes or None))


call_te = emit_te


class IfFrame(Frame):
    """A conditional in the making; `var` is its result, once it is over."""

    def __init__(self, condition: Any) -> None:
        self.condition = condition
        self.branches: dict[str, SeqExpr] = {}
        self.var: Var | None = None

    def end(self, around: Frame | None) -> None:
        """Binds the conditional."""
        if set(self.branches) != {"then", "else"}:
            raise TVMError("`R.If` needs both `with R.Then():` and `with R.Else():`")
        around.close()
        self.var = around.add(_If(self.condition, self.branches["then"], self.branches["else"]), None)


class BranchFrame(BlockFrame):
    """A branch of a conditional: the last binding is its result."""

    def __init__(self, which: str) -> None:
        super().__init__()
        self.which = which

    def end(self, around: Frame | None) -> None:
        """Gives the conditional its branch."""
        if not self.bindings:
            raise TVMError("a branch ends with a binding, its result")
        # As in a script, what is bound last is what the branch gives, and needs no name inside.
        last = self.bindings[-1]
        result = last.var if isinstance(last, MatchCast) else self.bindings.pop().value
        self.close()
        expected_frame(IfFrame, "a branch", innermost=True).branches[self.which] = SeqExpr(self.blocks, result)


def If(condition: Any) -> IfFrame:
    """A conditional, with `R.Then` and `R.Else` inside."""
    return IfFrame(condition)


def Then() -> BranchFrame:
    """What is computed where the condition holds."""
    return BranchFrame("then")


def Else() -> BranchFrame:
    """What is computed where it does not."""
    return BranchFrame("else")


def shape(value: Any) -> ShapeExpr:
    """A shape as a value."""
    return ShapeExpr(list(value))


def prim_value(value: Any) -> PrimValue:
    """A scalar as a value."""
    return PrimValue(value)


def str(value: Any) -> StringImm:
    """A text as a value."""
    return StringImm(value)


def dtype(value: Any) -> DataTypeImm:
    """A data type as a value."""
    return DataTypeImm(value)
