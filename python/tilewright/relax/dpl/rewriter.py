"""Rewriting by example: a function says what is sought, another one what comes in its place.

    @R.rewriter
    class Fused:
        @R.function
        def pattern(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
            return R.add(a, b)

        @R.function
        def replacement(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
            return R.call_pure_packed("fused_add", a, b, sinfo_args=R.Tensor((4,), "float32"))

    changed = Fused(module)

Parameters of the pattern fit any value of their struct info. What is rewritten is rewritten again, as long as something
fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...error import TVMError
from ...ir import structural_equal
from ...ir.module import IRModule
from ...tir.expr import IntImm
from ...tir.expr import Var as TirVar
from ..expr import Call, Constant, Expr, Function, GlobalVar, ShapeExpr, Tuple, TupleGetItem, Var, VarBinding
from ..expr_functor import PyExprMutator
from ..struct_info import TensorStructInfo
from .pattern import DFPattern, is_const, is_expr, is_op, is_tuple, is_tuple_get_item, wildcard
from .rewrite import rewrite_call

__all__ = ["ExprPatternRewriter", "OrRewriter", "PatternMatchingRewriter"]

#: Rounds of rewriting after which a rule is taken for one that never ends.
MAX_ROUNDS = 1000

Match = Mapping[Any, Expr]


class PatternMatchingRewriter:
    """What rewrites functions and modules. Each kind says in `once` how it rewrites one function."""

    def once(self, function: Function) -> Function:
        """The function after one round."""
        raise NotImplementedError

    def __call__(self, target: Any) -> Any:
        """The function or module in which nothing fits any more."""
        if isinstance(target, IRModule):
            changed = {var: self(func) for var, func in target.functions_items() if isinstance(func, Function)}
            module = target.clone()
            for var, function in changed.items():
                module.update_func(var, function)
            for name, function in self.functions().items():
                if name not in [var.name_hint for var in module.get_global_vars()]:
                    module[name] = function
            return module
        for _ in range(MAX_ROUNDS):
            changed = self.once(target)
            if structural_equal(changed, target):
                return target
            target = changed
        raise TVMError(f"the rewriting of `{target}` does not end after {MAX_ROUNDS} rounds")

    def functions(self) -> dict[str, Any]:
        """Functions that what comes in calls."""
        return {}

    def __or__(self, other: PatternMatchingRewriter) -> OrRewriter:
        return OrRewriter(self, other)

    @staticmethod
    def from_pattern(pattern: DFPattern, func: Callable[[Expr, Match], Expr | None]) -> ExprPatternRewriter:
        """The rewriter of a pattern; `func` gives what comes in the place of a match, or None."""
        return ExprPatternRewriter(pattern, func)

    @staticmethod
    def from_module(mod: IRModule) -> PatternMatchingRewriter:
        """The rewriter of a module with the functions `pattern` and `replacement`."""
        by_name = {var.name_hint: func for var, func in mod.functions_items()}
        for name in ("pattern", "replacement"):
            if name not in by_name:
                raise KeyError(f"a rewriter is a module with the function `{name}`, found {sorted(by_name)}")
            if not isinstance(by_name[name], Function):
                raise TypeError(f"`{name}` of a rewriter is a Relax function, found {type(by_name[name]).__name__}")
        pattern, replacement = by_name.pop("pattern"), by_name.pop("replacement")
        return _ByExample(pattern, replacement, by_name)


class ExprPatternRewriter(PatternMatchingRewriter):
    """Rewrites what one pattern fits."""

    def __init__(self, pattern: DFPattern, func: Callable[[Expr, Match], Expr | None]) -> None:
        self.pattern, self.func = pattern, func

    def once(self, function: Function) -> Function:
        """The function after one round."""

        def replace(expr: Expr, matches: Match) -> Expr:
            made = self.func(expr, matches)
            return expr if made is None else made

        return rewrite_call(self.pattern, replace, function)


class OrRewriter(PatternMatchingRewriter):
    """Rewrites what one of two fits, the first of them where both do."""

    def __init__(self, lhs: PatternMatchingRewriter, rhs: PatternMatchingRewriter) -> None:
        self.lhs, self.rhs = lhs, rhs

    def once(self, function: Function) -> Function:
        """The function after one round of each."""
        return self.rhs.once(self.lhs.once(function))

    def functions(self) -> dict[str, Any]:
        """Functions that what comes in calls."""
        return self.rhs.functions() | self.lhs.functions()


class _ByExample(ExprPatternRewriter):
    def __init__(self, pattern: Function, replacement: Function, others: dict[str, Any]) -> None:
        if len(pattern.params) != len(replacement.params):
            message = f"the pattern has {len(pattern.params)} parameters, the replacement {len(replacement.params)}"
            raise ValueError(message)
        infos = [param.struct_info for param in pattern.params]
        for own, other in zip(infos, (param.struct_info for param in replacement.params), strict=True):
            if not structural_equal(own, other, map_free_vars=True):
                raise ValueError(f"a parameter of the pattern is {own}, that of the replacement {other}")
        self.infos = [param.struct_info for param in replacement.params]
        holes = [wildcard().has_struct_info(_of_any_size(info)) for info in infos]
        known = dict(zip(pattern.params, holes, strict=True))
        super().__init__(_pattern_of(pattern, known), self._replace)
        self.holes, self.replacement, self.others = holes, replacement, others

    def functions(self) -> dict[str, Any]:
        return self.others

    def _replace(self, _: Expr, matches: Match) -> Expr | None:
        values = [matches[hole] for hole in self.holes]
        sizes: dict[Any, Any] = {}
        if not all(_unified(info, value.struct_info, sizes) for info, value in zip(self.infos, values, strict=True)):
            return None
        function = self.replacement.bind_symbolic_vars(sizes) if sizes else self.replacement
        return _Inlined(dict(zip(function.params, values, strict=True))).of(function)


def _of_any_size(info: Any) -> Any:
    """The struct info without the dimensions that are symbolic, which stand for any."""
    known = isinstance(info, TensorStructInfo) and isinstance(info.shape, ShapeExpr)
    if known and any(not isinstance(dim, IntImm) for dim in info.shape.values):
        return TensorStructInfo(dtype=info.dtype, ndim=info.ndim)
    return info


def _unified(info: Any, found: Any, sizes: dict[Any, Any]) -> bool:
    """Whether the dimensions found are those of the struct info, of which variables are what `sizes` says."""
    if not isinstance(info, TensorStructInfo) or not isinstance(info.shape, ShapeExpr):
        return True
    if not isinstance(found.shape, ShapeExpr):
        return False
    for dim, own in zip(info.shape.values, found.shape.values, strict=True):
        if not isinstance(dim, TirVar):
            continue
        if not structural_equal(sizes.setdefault(dim, own), own):
            return False
    return True


def _pattern_of(function: Function, known: dict[Var, DFPattern]) -> DFPattern:
    """The pattern that a function's body is an example of."""

    def of(value: Any) -> DFPattern:
        if isinstance(value, Var):
            return known[value] if value in known else is_expr(value)
        if isinstance(value, Constant):
            return is_const()
        if isinstance(value, Tuple):
            return is_tuple([of(field) for field in value.fields])
        if isinstance(value, TupleGetItem):
            return is_tuple_get_item(of(value.tuple_value), value.index)
        if isinstance(value, Call) and hasattr(value.op, "name"):
            called = is_op(value.op.name)(*(of(arg) for arg in value.args))
            attrs = {key: value.attrs[key] for key in dict(value.attrs)} if value.attrs else {}
            attrs = {key: own for key, own in attrs.items() if own is not None}
            return called.has_attr(attrs) if attrs else called
        return is_expr(value)

    for block in function.body.blocks:
        for binding in block.bindings:
            if not isinstance(binding, VarBinding):
                raise TVMError(f"a pattern has no casts, found `{binding}`")
            known[binding.var] = of(binding.value)
    return of(function.body.body)


class _Inlined(PyExprMutator):
    """The result of a function as one expression of its parameters' values."""

    def __init__(self, values: dict[Var, Expr]) -> None:
        super().__init__()
        self.values = values

    def of(self, function: Function) -> Expr:
        for block in function.body.blocks:
            for binding in block.bindings:
                self.values[binding.var] = self._substituted(binding.value)
        return self._substituted(function.body.body)

    def _substituted(self, value: Any) -> Expr:
        if isinstance(value, Var):
            return self.values.get(value, value)
        if isinstance(value, Tuple):
            return Tuple([self._substituted(field) for field in value.fields])
        if isinstance(value, TupleGetItem):
            return TupleGetItem(self._substituted(value.tuple_value), value.index)
        if isinstance(value, Call):
            op = value.op if isinstance(value.op, GlobalVar) else self._substituted(value.op)
            args = [self._substituted(arg) for arg in value.args]
            return Call(op, args, value.attrs, value.sinfo_args)
        return value


def rewriter(mod: IRModule | type) -> PatternMatchingRewriter:
    """The rewriter of a module; of a class with `pattern` and `replacement` by the decorator `R.rewriter`."""
    return PatternMatchingRewriter.from_module(mod)
