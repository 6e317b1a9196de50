"""The pattern language: what each pattern fits, contexts, rewriting, and mistakes."""

from inspect import signature

import numpy as np
import pytest

import tilewright as tw
from tilewright import ir, relax
from tilewright.relax.dpl import (
    PatternContext,
    is_call_dps_packed,
    is_call_tir,
    is_const,
    is_dfv,
    is_expr,
    is_gv,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    make_fused_bias_activation_pattern,
    rewrite_bindings,
    rewrite_call,
    wildcard,
)
from tilewright.script import ir as I
from tilewright.script import relax as R

REFUSED = (tw.TVMError, TypeError, ValueError)
info = relax.TensorStructInfo((2, 3), "float32")
x, y = relax.Var("x", info), relax.Var("y", info)
lv = relax.DataflowVar("lv", info)
add, product = relax.op.add(x, y), relax.op.multiply(x, x)
tir_call = relax.op.call_tir(ir.GlobalVar("f"), [x, y], info)
packed = relax.op.call_dps_packed("lib.g", [x], info)
shape = relax.ShapeExpr([2, 3])

CASES = {
    "anything": (wildcard, [x, add, shape, relax.const(1.0)], []),
    "a variable": (is_var, [x, y], [add, relax.const(1.0), shape]),
    "a variable by name": (lambda: is_var("x"), [x], [y]),
    "a dataflow variable": (is_dfv, [lv], [x, add]),
    "a constant": (is_const, [relax.const(1.0)], [x, add]),
    "an expression": (lambda: is_expr(add), [add, relax.op.add(x, y)], [relax.op.add(y, x), x]),
    "an operator": (lambda: is_op("relax.add")(wildcard(), wildcard()), [add], [product, x]),
    "the same twice": (
        lambda: (lambda w: is_op("relax.multiply")(w, w))(wildcard()),
        [product],
        [relax.op.multiply(x, y)],
    ),
    "operands in order": (lambda: is_op("relax.add")(is_var("x"), is_var("y")), [add], [relax.op.add(y, x)]),
    "either": (lambda: is_var("x") | is_var("y"), [x, y], [lv, add]),
    "both": (
        lambda: is_var() & wildcard().has_dtype("float32"),
        [x],
        [add, relax.Var("i", relax.TensorStructInfo((2,), "int32"))],
    ),
    "not": (lambda: ~is_var("x"), [y, add], [x]),
    "a type": (lambda: wildcard().has_dtype("int32"), [relax.const(1, "int32")], [x]),
    "a shape of a tensor": (
        lambda: wildcard().has_shape([2, 3]),
        [x, add],
        [relax.const(1.0), relax.Var("z", relax.TensorStructInfo((3, 2), "float32"))],
    ),
    "a shape": (lambda: is_shape([2, 3]), [shape], [relax.ShapeExpr([3, 2]), x]),
    "attributes": (
        lambda: is_op("relax.sum")(wildcard()).has_attr({"keepdims": True}),
        [relax.op.sum(x, axis=[0], keepdims=True)],
        [relax.op.sum(x, axis=[0])],
    ),
    "a struct info": (
        lambda: wildcard().has_struct_info(relax.TensorStructInfo(ndim=2, dtype="float32")),
        [x],
        [relax.const(1.0)],
    ),
    "a tuple": (
        lambda: is_tuple([is_var("x"), wildcard()]),
        [relax.Tuple([x, y])],
        [relax.Tuple([y, x]), relax.Tuple([x])],
    ),
    "an unordered tuple": (
        lambda: is_tuple([is_var("x"), is_var("y")], unordered=True),
        [relax.Tuple([y, x]), relax.Tuple([x, y])],
        [relax.Tuple([x, x])],
    ),
    "a field": (
        lambda: is_tuple_get_item(wildcard(), 1),
        [relax.TupleGetItem(relax.Tuple([x, y]), 1)],
        [relax.TupleGetItem(relax.Tuple([x, y]), 0)],
    ),
    "a function of the module": (lambda: is_gv("f"), [ir.GlobalVar("f")], [ir.GlobalVar("g"), x]),
    "a call of a kernel": (lambda: is_call_tir("f", [wildcard(), wildcard()]), [tir_call], [packed, add]),
    "a call of any kernel": (is_call_tir, [tir_call], [packed]),
    "a call of a library": (lambda: is_call_dps_packed("lib.g"), [packed], [tir_call]),
    "the first arguments": (
        lambda: is_op("relax.add")(is_var("x"), varg_default_wildcard=True),
        [add],
        [relax.op.add(y, x)],
    ),
    "perhaps": (
        lambda: is_var("x").optional(is_op("relax.nn.relu")),
        [x, relax.op.nn.relu(x)],
        [y, relax.op.nn.gelu(x)],
    ),
    "operators of Python": (lambda: is_var("x") + is_var("y"), [add], [product]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pattern_matches_its_expressions(name):
    make, fitting, others = CASES[name]
    for expr in fitting:
        assert make().match(expr), expr
        assert (~make()).match(expr) is False
    for expr in others:
        assert not make().match(expr), expr
        assert make().extract_matched_expr(expr) is None


def test_variables_are_looked_through():
    pattern = is_op("relax.nn.relu")(is_op("relax.add")(wildcard(), wildcard()))
    call = relax.op.nn.relu(lv)
    assert not pattern.match(call) and pattern.match(call, {lv: add})
    found = pattern.extract_matched_expr(call, {lv: add})
    assert found[pattern].same_as(call)


def test_patterns_have_classes_and_are_written_as_they_are_made():
    from tilewright.relax.dpl import CallPattern, OrPattern, TuplePattern, VarPattern, WildcardPattern, is_tuple, is_var

    call = is_op("relax.add")(wildcard() | is_var("x"), is_tuple([wildcard()]))
    assert isinstance(call, CallPattern) and not isinstance(call, WildcardPattern)
    assert isinstance(WildcardPattern(), WildcardPattern) and WildcardPattern().match(x)
    assert isinstance(VarPattern("x"), VarPattern) and VarPattern("x").match(x)
    assert isinstance(OrPattern(wildcard(), wildcard()), OrPattern)
    assert isinstance(TuplePattern([wildcard()]), TuplePattern)
    assert CallPattern(is_op("relax.add"), [wildcard(), wildcard()]).match(add)
    assert repr(call) == 'is_op("relax.add")((wildcard() | is_var("x")), is_tuple([wildcard()]))'
    assert repr(~wildcard().has_dtype("int8").has_shape([2, 3])) == '~wildcard().has_dtype("int8").has_shape([2, 3])'
    deep = wildcard()
    for _ in range(60):
        deep = deep & deep
    assert len(repr(deep)) < 5000 and "…" in repr(deep)


def test_patterns_are_themselves():
    a, b = wildcard(), wildcard()
    assert a == a and a != b and len({a, b}) == 2 and a.dup() != a
    assert repr(a) == "wildcard()" and a.dup().match(x)
    found = is_op("relax.add")(a, b)
    assert {str(value) for key, value in found.extract_matched_expr(add).items() if key in (a, b)} == {"x", "y"}


@R.function
def chain(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.nn.relu(a)
        c = R.add(b, a)
        d = R.nn.relu(c)
        R.output(d)
    return d


def names(found, patterns):
    return None if found is None else [found[pattern].name_hint for pattern in patterns]


def test_contexts_say_who_uses_whom():
    block = chain.body.blocks[0]

    def match(relate, producer="relax.matmul", consumer="relax.nn.relu"):
        with PatternContext() as context:
            count = {"relax.matmul": 2, "relax.add": 2}
            first = is_op(producer)(*[wildcard() for _ in range(count.get(producer, 1))])
            second = is_op(consumer)(wildcard())
            relate(first, second)
        return names(context.match_dfb(block), [first, second])

    assert match(lambda a, b: a ^ b) == ["a", "b"]
    assert match(lambda a, b: a >> b) is None  # `c` uses `a`, too.
    assert match(lambda a, b: a >> b, "relax.add") == ["c", "d"]
    assert match(lambda a, b: a.used_by(b, 0)) == ["a", "b"]
    with pytest.raises(tw.TVMError, match="PatternContext"):
        _ = wildcard() >> wildcard()


def test_rewriting_keeps_the_meaning_of_a_function():
    a, b = wildcard(), wildcard()
    pattern = is_op("relax.add")(a, b)
    swapped = rewrite_call(pattern, lambda call, found: relax.op.add(found[b], found[a]), chain)
    assert "R.add(a, b)" in swapped.script() and relax.analysis.well_formed(tw.IRModule({"main": swapped}))
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=s).astype("float32") for s in ((2, 3), (3, 3))]
    arrays[0][0, 0] = np.nan

    def run(function):
        module = tw.IRModule({"main": function})
        machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
        return machine["main"](*map(tw.nd.array, arrays)).numpy()

    product = arrays[0] @ arrays[1]
    expected = np.maximum(np.maximum(product, 0) + product, 0)
    np.testing.assert_allclose(run(chain), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(run(swapped), expected, rtol=1e-5, atol=1e-6)


def test_untouched_expressions_stay():
    same = rewrite_call(is_op("relax.add")(wildcard(), wildcard()), lambda call, found: call, chain)
    ir.assert_structural_equal(same, chain)


@pytest.mark.parametrize(
    ("rewriter", "kind"),
    [
        (lambda call, found: None, REFUSED),
        (lambda call, found: object(), REFUSED),
        (lambda call, found: 1 / 0, ZeroDivisionError),
        (lambda call: call, TypeError),
        (None, TypeError),
    ],
)
def test_exceptions_of_a_rewriter_propagate(rewriter, kind):
    with pytest.raises(kind):
        rewrite_call(is_op("relax.add")(wildcard(), wildcard()), rewriter, chain)
    with PatternContext() as context:
        is_op("relax.add")(wildcard(), wildcard())
    with pytest.raises((kind,) if isinstance(kind, type) else kind):
        rewrite_bindings(context, rewriter, chain)


@pytest.mark.parametrize(
    "act",
    [
        lambda: is_op("relax.nope"),
        lambda: is_op(3),
        lambda: is_op("relax.add")(3.5, object()),
        lambda: wildcard().has_dtype("bogus"),
        lambda: wildcard().has_shape(["a"]),
        lambda: wildcard().has_attr(3),
        lambda: wildcard().has_struct_info(3),
        lambda: is_tuple([object()]),
        lambda: is_expr(None),
        lambda: is_shape([0.5]),
        lambda: wildcard().match(None),
        lambda: wildcard().match(x, {3: x}),
        lambda: rewrite_call(wildcard(), lambda call, found: call, 3),
        lambda: rewrite_call(3, lambda call, found: call, chain),
        lambda: PatternContext().match_dfb(chain),
        lambda: make_fused_bias_activation_pattern("relax.nope"),
    ],
)
def test_mistakes_are_errors(act):
    with pytest.raises(REFUSED) as caught:
        act()
    assert str(caught.value)


def test_fused_patterns_are_made():
    pattern = make_fused_bias_activation_pattern("relax.matmul", with_bias=True, activation="relax.nn.relu")
    w = relax.Var("w", relax.TensorStructInfo((3, 3), "float32"))
    b = relax.Var("b", relax.TensorStructInfo((3,), "float32"))
    assert pattern.match(relax.op.nn.relu(relax.op.add(relax.op.matmul(x, w), b)))
    assert not pattern.match(relax.op.add(relax.op.matmul(x, w), b))


def test_symbolic_shapes_are_told_apart():
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((1, 4), "float32")):
            with R.dataflow():
                a = R.add(x, x)
                b = R.add(y, y)
                R.output(a, b)
            return (a, b)

    seen = []
    pattern = is_op("relax.add")(wildcard().has_shape([1, 4]), wildcard())
    rewrite_call(pattern, lambda call, found: (seen.append(str(call.args[0])), call)[1], Module["main"])
    assert seen == ["y"]


def test_kinds_of_patterns_are_made_by_the_names_of_their_parts():
    kinds = relax.dpl
    rows = [
        (kinds.VarPattern(name_hint="x"), x, y), (kinds.OrPattern(left=is_var("x"), right=is_const()), x, y),
        (kinds.NotPattern(to_reject=is_var("y")), x, y),
        (kinds.ShapePattern(pattern=wildcard(), shape=(2, 3)), x, relax.const([1.0])),
    ]  # fmt: skip
    for pattern, fits, other in rows:
        assert pattern.match(fits) and not pattern.match(other), pattern
    assert list(signature(kinds.AndPattern).parameters) == ["left", "right"]
    assert list(signature(kinds.TupleGetItemPattern).parameters) == ["tuple_value", "index"]


def test_a_sequence_of_patterns_connects_them():
    function = chain_of(["exp", "negative", "abs"])
    block = function.body.blocks[0]
    for names, fits in ((["exp", "negative"], True), (["exp", "abs"], False), (["exp", "negative", "abs"], True)):
        for only in (False, True):
            with PatternContext() as context:
                sequence = relax.dpl.PatternSeq([is_op(f"relax.{name}")(wildcard()) for name in names], only_use=only)
                assert len(sequence) == len(names)
                assert (context.match_dfb(block) is not None) == fits, (names, only)


def chain_of(names):
    """A function of a dataflow block in which each operator takes the result of the one before."""
    builder, start = relax.BlockBuilder(), relax.Var("x", relax.TensorStructInfo((2, 3), "float32"))
    with builder.function("main", [start]):
        with builder.dataflow():
            value = start
            for name in names:
                value = builder.emit(getattr(relax.op, name)(value))
            value = builder.emit_output(value)
        builder.emit_func_output(value)
    return builder.finalize()["main"]


def test_a_context_is_told_which_values_have_one_shape():
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float32")):
            with R.dataflow():
                a = R.exp(x)
                b = R.exp(y)
                c = R.add(a, b)
                R.output(c)
            return c

    def matched(same: bool) -> bool:
        with PatternContext() as context:
            left, right = is_op("relax.exp")(wildcard()), is_op("relax.exp")(wildcard())
            is_op("relax.add")(left, right)
            if same:
                left.same_shape_as(right)
            return context.match_dfb(Module["main"].body.blocks[0]) is not None

    assert matched(same=False)
    assert not matched(same=True)


def test_a_pattern_says_what_it_describes():
    first, second = wildcard(), is_const()
    call = is_op("relax.add")(first, second)
    assert call.args == (first, second) and call.op.expr == tw.ir.Op.get("relax.add")
    assert is_tuple_get_item(is_tuple([first, second]), 1).tuple.fields == (first, second)
    assert is_tuple_get_item(call, 1).index == 1 and is_tuple_get_item(call).index == -1
    assert ((first | second).left, (first & second).right, (~first).reject) == (first, second, first)
    assert (is_var("x").name, is_dfv().name, is_gv("f").name) == ("x", "", "f")
    assert first.has_dtype("float32").dtype == "float32" and first.has_dtype("float32").pattern == first
    assert list(first.has_shape((2, 3)).shape) == [2, 3] and first.has_attr({"axis": 1}).attrs["axis"] == 1
    assert is_shape([4, 5])[1] == 5
    with pytest.raises(IndexError):
        is_shape([4, 5])[2]
    with pytest.raises(AttributeError, match="`WildcardPattern` has no attribute `args`"):
        _ = first.args
