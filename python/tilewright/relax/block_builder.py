"""The block builder: graph functions binding by binding."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from linecache import getline
from typing import Any, ClassVar

from .. import _core
from ..error import TVMError
from ..ir.module import GlobalVar, IRModule
from .expr import BindingBlock, Call, Expr, PrimValue, ShapeExpr, Tuple, TupleGetItem, Var
from .struct_info import StructInfo, TupleStructInfo

__all__ = ["BlockBuilder", "DataflowScope", "FunctionScope", "TestingScope"]


class BlockBuilder(_core.BlockBuilder):
    """Builds an IRModule function by function.

    What is emitted is brought into normal form: every intermediate value gets a variable, and every expression its
    struct info by the rules of its operator.

        bb = relax.BlockBuilder()
        with bb.function("main", [x]):
            with bb.dataflow():
                y = bb.emit(relax.op.add(x, x))
                out = bb.emit_output(y)
            bb.emit_func_output(out)
        mod = bb.finalize()
    """

    _open: ClassVar[list[BlockBuilder]] = []

    def __new__(cls, mod: IRModule | None = None) -> BlockBuilder:
        self = super().__new__(cls, mod)
        self._current_params = None
        return self

    @staticmethod
    def current() -> BlockBuilder | None:
        """The builder whose function is being written, if there is one."""
        return BlockBuilder._open[-1] if BlockBuilder._open else None

    @contextmanager
    def function(
        self,
        name: str,
        params: Var | Sequence[Var] | None = None,
        attrs: Mapping[str, Any] | None = None,
        pure: bool = True,
        private: bool = False,
    ) -> Iterator[None]:
        """A function; parameters may be given with `emit_func_output` instead."""
        if self._in_function():
            raise RuntimeError("a function is being written already: close it before the next one")
        params = _listed(params)
        said = dict(attrs or {})
        if not private:
            said.setdefault("global_symbol", name)
        self._begin_function(name, params or [], said, pure)
        self._finished = False
        BlockBuilder._open.append(self)
        try:
            yield
        except BaseException:
            if not self._finished:
                self._abandon()
            raise
        finally:
            BlockBuilder._open.pop()
        if not self._finished:
            self._abandon()
            raise RuntimeError(f"`emit_func_output` is not called in the function `{name}`")

    @contextmanager
    def testing_scope(self, def_vars: Sequence[Any]) -> Iterator[None]:
        """A scope in which dataflow blocks can be written without a function; `def_vars` are symbolic dimensions."""
        self.begin_scope([Var("dims", _shape_info(def_vars))])
        self._begin_sequence()
        try:
            yield
        finally:
            self._abandon()
            self.end_scope()

    @contextmanager
    def dataflow(self) -> Iterator[None]:
        """A dataflow block."""
        self._begin_dataflow()
        try:
            yield
        finally:
            if self._in_dataflow():
                self._end_dataflow()

    def current_block_is_dataflow(self) -> bool:
        """Whether a dataflow block is being written."""
        return self._in_dataflow()

    def emit(self, expr: Expr, name_hint: str = "") -> Var:
        """Binds the value to a new variable."""
        self._set_running_line()
        return super().emit(expr, name_hint)

    def match_cast(self, value: Any, struct_info: StructInfo, name_hint: str = "") -> Var:
        """The value, checked at run time against the struct info."""
        self._set_running_line()
        return super().match_cast(value, struct_info, name_hint)

    def match_shape(self, value: Any, pattern: Sequence[Any], name_hint: str = "") -> Var:
        """The shape value, checked at run time against these dimensions."""
        return self.match_cast(value, _shape_info(pattern), name_hint)

    def call_te(self, func: Any, *args: Any, **kwargs: Any) -> Call:
        """A call of what a function of tensor expressions computes.

        Of the arguments (those in lists, tuples and dicts too), values of the graph become tensors, shapes lists of
        dimensions and scalar values scalar expressions; all others are passed as they are. The function is called
        `primfunc_name_hint`, or as `func` is, or like it; `primfunc_attrs` are its attributes.
        """
        said = {name: kwargs.pop(name) for name in _OF_CALLS if kwargs.get(name) is not None}
        name = said.pop("primfunc_name_hint", None) or getattr(func, "__name__", "") or "te_func"
        values, tensors = [], []

        def converted(value: Any) -> Any:
            if isinstance(value, (list, tuple)) and not isinstance(value, Expr):
                return tuple(map(converted, value)) if isinstance(value, tuple) else list(map(converted, value))
            if isinstance(value, Mapping):
                return {key: converted(own) for key, own in value.items()}
            if isinstance(value, ShapeExpr):
                return value.values
            if isinstance(value, PrimValue):
                return value.value
            if isinstance(value, Expr) and isinstance(value.struct_info, TupleStructInfo):
                fields = value.fields if isinstance(value, Tuple) else self._fields(value)
                return [converted(field) for field in fields]
            if not isinstance(value, Expr):
                return value
            values.append(value)
            tensors.append(_core.te_tensor(value, chr(ord("A") + len(tensors)) if len(tensors) < 26 else "input"))
            return tensors[-1]

        made = func(*map(converted, args), **{key: converted(value) for key, value in kwargs.items()})
        outputs = list(made) if isinstance(made, (list, tuple)) else [made]
        return _core.te_call(self, _identifier(name), values, tensors, outputs, said)

    def call_te_with_grad(
        self, func: Any, *args: Any, te_grad_name: str, te_grad_kwargs: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Call:
        """The same, as a call that says by which registered function it is differentiated."""
        return self.call_te(func, *args, te_grad_name=te_grad_name, te_grad_kwargs=te_grad_kwargs, **kwargs)

    def emit_te(self, func: Any, *args: Any, name_hint: str = "", **kwargs: Any) -> Var:
        """A call of what a function of tensor expressions computes (see `call_te`), bound to a variable."""
        return self.emit(self.call_te(func, *args, **kwargs), name_hint)

    def _fields(self, value: Expr) -> list[Expr]:
        return [TupleGetItem(value, index) for index in range(len(value.struct_info.fields))]

    def emit_func_output(self, output: Any, params: Var | Sequence[Var] | None = None) -> GlobalVar:
        """Ends the function with its result."""
        if params is not None:
            self._set_params(_listed(params))
        if isinstance(output, (list, tuple)) and not isinstance(output, Expr):
            output = Tuple(list(output))
        self._finished = True
        try:
            return self._emit_func_output(output)
        except TVMError:
            self._finished = False
            raise

    def emit_output(self, output: Any, name_hint: str = "") -> Var:
        """Binds the value to an output of the dataflow block."""
        if isinstance(output, (list, tuple)) and not isinstance(output, Expr):
            output = Tuple(list(output))
        self._set_running_line()
        return super().emit_output(output, name_hint)

    def _set_running_line(self) -> None:
        """What is emitted next comes from the line that is running, if it is a function that is being written: what is
        put into a function that is there already comes from where that comes from."""
        if BlockBuilder.current() is self:
            file, line = running_line()
            self._set_place(file, line, getline(file, line))

    def _begin_dataflow_block(self) -> None:
        self._begin_sequence()
        self._begin_dataflow()

    def _begin_binding_block(self) -> None:
        self._begin_sequence()

    def _end_block(self) -> BindingBlock:
        """The block that `_begin_dataflow_block` or `_begin_binding_block` began."""
        if self._in_dataflow():
            block = self._end_dataflow()
            self._abandon()
            return block
        blocks = self._end_sequence(Tuple([])).blocks
        return blocks[0] if blocks else BindingBlock([])


#: Arguments of `call_te` that the function does not get.
_OF_CALLS = ("primfunc_name_hint", "primfunc_attrs", "te_grad_name", "te_grad_kwargs")


def running_line() -> tuple[str, int]:
    """The line outside of this package that is running: its file and its number."""
    frame, package = sys._getframe(1), __name__.partition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _identifier(name: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name).strip("_")
    return kept if kept.isidentifier() else "te_func"


class FunctionScope:
    """The name of the context of `BlockBuilder.function`."""


class DataflowScope:
    """The name of the context of `BlockBuilder.dataflow`."""


class TestingScope:
    """The name of the context of `BlockBuilder.testing_scope`."""

    __test__ = False


def _shape_info(dims: Sequence[Any]) -> StructInfo:
    return ShapeExpr(list(dims)).struct_info


def _listed(params: Any) -> list | None:
    if params is None:
        return None
    return [params] if isinstance(params, Var) else list(params)
