"""`tilewright.arith` and index maps, against what brute force says of every value."""

import itertools
import random

import pytest

from tilewright import TVMError, arith, ir, tir
from tilewright.ir import Range
from tilewright.tir import IndexMap

RANGES = {"i": (0, 6), "j": (-3, 5), "k": (2, 4)}  # From, and how many.


def variables():
    return {name: tir.Var(name, "int64") for name in RANGES}


def analyzer(v):
    cx = arith.Analyzer()
    for name, (low, extent) in RANGES.items():
        cx.bind(v[name], Range.from_min_extent(low, extent))
    return cx


OPERATORS = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "//": (lambda a, b: a // b, lambda a, b: a // b),
    "%": (lambda a, b: a % b, lambda a, b: a % b),
    "min": (tir.min, min),
    "max": (tir.max, max),
}


def expression(rng, v, depth):
    """A random expression, and the Python function of the variables' values that it is."""
    if depth == 0 or rng.random() < 0.2:
        if rng.random() < 0.4:
            number = rng.randint(-9, 9)
            return tir.IntImm("int64", number), lambda values: number
        name = rng.choice(list(v))
        return v[name], lambda values: values[name]
    op = rng.choice(list(OPERATORS))
    make, compute = OPERATORS[op]
    left, left_value = expression(rng, v, depth - 1)
    if op in ("//", "%"):
        number = rng.choice([1, 2, 3, 4, 7, 8])
        return make(left, tir.IntImm("int64", number)), lambda values: compute(left_value(values), number)
    right, right_value = expression(rng, v, depth - 1)
    return make(left, right), lambda values: compute(left_value(values), right_value(values))


def every_value():
    spans = [range(low, low + extent) for low, extent in RANGES.values()]
    for values in itertools.product(*spans):
        yield dict(zip(RANGES, values, strict=True))


def evaluate(expr, v, values):
    found = arith.Analyzer().simplify(
        tir.stmt_functor.substitute(expr, {v[name]: value for name, value in values.items()})
    )
    assert isinstance(found, tir.IntImm), found
    return found.value


@pytest.mark.parametrize("seed", range(60))
def test_answers_about_an_expression_are_true(seed):
    rng, v = random.Random(seed), variables()
    expr, value = expression(rng, v, 4)
    cx = analyzer(v)
    simple, canonical = cx.simplify(expr), cx.canonical_simplify(expr)
    rewritten, bound, modular = cx.rewrite_simplify(expr), cx.const_int_bound(expr), cx.modular_set(expr)
    inside = cx.int_set(expr, {v[name]: Range.from_min_extent(low, extent) for name, (low, extent) in RANGES.items()})
    every = [(values, value(values)) for values in every_value()]
    for _, number in every:
        assert bound.min_value <= number <= bound.max_value
        assert (number - modular.base) % modular.coeff == 0 if modular.coeff else number == modular.base
    for end, holds in ((inside.min_value, int.__le__), (inside.max_value, int.__ge__)):
        if isinstance(end, tir.IntImm):
            assert all(holds(end.value, number) for _, number in every)
    for values, number in rng.sample(every, 8):
        for form in (expr, simple, canonical, rewritten):
            assert evaluate(form, v, values) == number, (form, values)


@pytest.mark.parametrize("seed", range(60))
def test_proofs_hold_everywhere(seed):
    rng, v = random.Random(1000 + seed), variables()
    cx = analyzer(v)
    (a, a_value), (b, b_value) = expression(rng, v, 3), expression(rng, v, 2)
    every = [(a_value(values), b_value(values)) for values in every_value()]
    claims = [
        (a < b, int.__lt__),
        (a <= b, int.__le__),
        (a > b, int.__gt__),
        (tir.EQ(a, b), int.__eq__),
        (tir.NE(a, b), int.__ne__),
    ]
    for claim, holds in claims:
        if cx.can_prove(claim):
            assert all(holds(x, y) for x, y in every), claim
    if cx.can_prove_equal(a, b):
        assert all(x == y for x, y in every)
    # What has to be proved: equal forms of one thing.
    assert cx.can_prove_equal(a + b, b + a) and cx.can_prove(tir.EQ(a - a, 0))


def test_constraints_hold_in_their_scope_only():
    x, cx = tir.Var("x", "int64"), arith.Analyzer()
    with cx.constraint_scope(x > 3):
        assert cx.can_prove(x >= 4)
        with cx.constraint_scope(x < 6):
            assert cx.can_prove(x <= 5) and cx.const_int_bound(x).max_value == 5
        assert not cx.can_prove(x <= 5)
    assert not cx.can_prove(x >= 4)
    with pytest.raises(ValueError), cx.constraint_scope(x > 3):
        raise ValueError
    assert not cx.can_prove(x >= 4)


def test_sets_are_intervals():
    x = tir.Var("x", "int64")
    point, nothing, all_of = arith.IntSet.single_point(x), arith.IntSet.nothing(), arith.IntSet.everything()
    assert point.is_single_point() and nothing.is_nothing() and all_of.is_everything()
    assert not point.is_nothing() and not nothing.is_everything()
    both = arith.int_set.union([arith.IntervalSet(0, 3), arith.IntervalSet(7, 9)])
    assert (both.min_value.value, both.max_value.value) == (0, 9)
    common = arith.int_set.intersect([arith.IntervalSet(0, 8), arith.IntervalSet(7, 9)])
    assert (common.min_value.value, common.max_value.value) == (7, 8)
    assert arith.int_set.intersect([arith.IntervalSet(0, 3), arith.IntervalSet(7, 9)]).is_nothing()


@pytest.mark.parametrize(
    ("index", "found"),
    [
        (lambda i, j: [i * 5 + j], True),
        (lambda i, j: [i, j], True),
        (lambda i, j: [(i * 5 + j) // 3, (i * 5 + j) % 3], True),
        (lambda i, j: [i + j], False),
        (lambda i, j: [i * 4 + j], False),
        (lambda i, j: [i * i, j], False),
    ],
)
def test_iterator_maps_are_one_to_one(index, found):
    i, j = tir.Var("i", "int64"), tir.Var("j", "int64")
    domains = {i: Range(0, 6), j: Range(0, 5)}
    result = arith.detect_iter_map(index(i, j), domains, True, "bijective")
    assert bool(result.indices) == found and bool(result.errors) != found
    pairs = list(itertools.product(range(6), range(5)))
    taken = [tuple(evaluate(e, {"i": i, "j": j}, {"i": a, "j": b}) for e in index(i, j)) for a, b in pairs]
    if found:
        assert len(set(taken)) == len(pairs)
        for sums, expr in zip(result.indices, index(i, j), strict=True):
            again = arith.normalize_iter_map_to_expr(sums)
            for a, b in pairs[::7]:
                values = {"i": a, "j": b}
                assert evaluate(again, {"i": i, "j": j}, values) == evaluate(expr, {"i": i, "j": j}, values)


def test_linear_forms_are_those_of_the_expression():
    x, y = tir.Var("x", "int64"), tir.Var("y", "int64")
    a, b, c = arith.detect_linear_equation(x * 4 + y * 3 - x + 7, [x, y])
    assert [arith.Analyzer().simplify(e).value for e in (a, b, c)] == [3, 3, 7]
    assert len(arith.detect_linear_equation(x * y, [x, y])) == 0
    assert len(arith.detect_clip_bound(tir.all(x >= 2, x < 9), [x])) == 2


@pytest.mark.parametrize("seed", range(20))
def test_solutions_of_equations_are_all_solutions(seed):
    rng = random.Random(seed)
    x, y = tir.Var("x", "int64"), tir.Var("y", "int64")
    a, b = rng.choice([1, 2, 3, -2, 5]), rng.choice([1, -1, 2, 4])
    total = a * rng.randint(-4, 4) + b * rng.randint(-4, 4)
    solved = arith.solve_linear_equations([tir.EQ(x * a + y * b, total)], [x, y])
    assert len(solved.dst.variables) == 1
    free = solved.dst.variables[0]
    found = set()
    for number in range(-60, 61):
        values = [
            arith.Analyzer().simplify(tir.stmt_functor.substitute(solved.src_to_dst[v], {free: number})).value
            for v in (x, y)
        ]
        assert a * values[0] + b * values[1] == total
        found.add(tuple(values))
    expected = {(p, q) for p in range(-9, 10) for q in range(-9, 10) if a * p + b * q == total}
    assert expected <= found


def test_bounds_are_deduced():
    x, y = tir.Var("x", "int64"), tir.Var("y", "int64")
    deduced = arith.deduce_bound(x, x * 2 + y < 20, {}, {y: arith.IntervalSet(0, 3)})
    largest = deduced.max_value.value
    assert all(2 * largest + b < 20 for b in range(4)) and not all(2 * (largest + 1) + b < 20 for b in range(4))


def test_regions_are_estimated():
    i, j = tir.Var("i", "int64"), tir.Var("j", "int64")
    region = [Range.from_min_extent(i * 4 + j, 1)]
    loops = {i: Range(0, 3), j: Range(0, 4)}
    for estimate in (
        arith.estimate_region_lower_bound,
        arith.estimate_region_strict_bound,
        arith.estimate_region_upper_bound,
    ):
        (covered,) = estimate(region, loops)
        ends = [arith.Analyzer().simplify(end).value for end in (covered.min_value, covered.max_value)]
        assert ends == [0, 11]


MAPS = [
    (lambda i: [i // 4, i % 4], (16,)),
    (lambda i, j: [j, i], (3, 5)),
    (lambda i, j: [i * 5 + j], (3, 5)),
    (lambda i, j: [i // 2, j // 4, i % 2, j % 4], (4, 8)),
    (lambda i, j: [i, 7 - j], (3, 8)),
]


@pytest.mark.parametrize("number", range(len(MAPS)))
def test_index_maps_are_inverted(number):
    function, shape = MAPS[number]
    map_ = IndexMap.from_func(function)
    spans = [range(extent) for extent in shape]
    images = {}
    for index in itertools.product(*spans):
        image = tuple(int(e) for e in map_.map_indices(index))
        assert image == tuple(function(*index)) and image not in images
        images[image] = index
    target = [int(extent) for extent in map_.map_shape(shape)]
    assert target == [max(image[axis] for image in images) + 1 for axis in range(len(target))]
    inverse = map_.inverse(shape)
    for image, index in images.items():
        assert tuple(int(e) for e in inverse.map_indices(image)) == index
    assert map_.is_equivalent_to(IndexMap.from_func(function)) and inverse.inverse(target).is_equivalent_to(map_)


def test_index_maps_move_elements():
    import numpy as np

    from tilewright import nd

    values = np.arange(16, dtype="float32")
    moved = IndexMap.from_func(lambda i: [i % 4, i // 4]).map_ndarray(nd.array(values))
    np.testing.assert_array_equal(moved.numpy(), values.reshape(4, 4).T)


def test_index_maps_that_are_not_one_to_one_have_no_inverse():
    for function, shape in [(lambda i: [i // 2], (8,)), (lambda i, j: [i + j], (4, 4)), (lambda i: [i * i], (5,))]:
        with pytest.raises(TVMError, match="one-to-one"):
            IndexMap.from_func(function).inverse(shape)


def test_index_maps_have_separators():
    map_, separators = IndexMap.from_func_with_separators(lambda i, j: [i, IndexMap.AXIS_SEPARATOR, j])
    assert separators == [1] and len(map_.final_indices) == 2
    with pytest.raises(ValueError, match="ndim"):
        IndexMap.from_func(lambda *axes: axes)
    assert len(IndexMap.from_func(lambda *axes: axes[::-1], ndim=3).final_indices) == 3
    with pytest.raises(ValueError, match="expected 2 indices, found 1"):
        map_.map_indices([1])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: arith.Analyzer().simplify(None),
        lambda x: arith.Analyzer().simplify([[]]),
        lambda x: arith.Analyzer().bind(3, 4),
        lambda x: arith.Analyzer().bind(x, None),
        lambda x: arith.Analyzer().update(x, Range(0, 4)),
        lambda x: arith.Analyzer().can_prove(None),
        lambda x: arith.Analyzer().can_prove_equal(x, tir.StringImm("a")),
        lambda x: arith.Analyzer().int_set(x, {x: 3}),
        lambda x: arith.Analyzer().int_set(x, 3),
        lambda x: arith.detect_iter_map([x], [x]),
        lambda x: arith.detect_iter_map(None, {x: Range(0, 4)}),
        lambda x: arith.detect_iter_map([x], {x: Range(0, 4)}, None),
        lambda x: arith.solve_linear_equations([3.5, None], [x]),
        lambda x: arith.detect_linear_equation(x, [None]),
        lambda x: arith.IntSet.vector(None),
        lambda x: arith.int_set.union([3]),
        lambda x: arith.inverse_affine_iter_map([x], [x]),
        lambda x: arith.subspace_divide([x], {x: Range(0, 4)}, [None]),
        lambda x: arith.ConstIntBound(None, 2**70),
        lambda x: arith.ModularSet(0.5, "a"),
        lambda x: ir.Range("a", None),
        lambda x: tir.stmt_functor.substitute(x, {x: None}),
        lambda x: tir.stmt_functor.substitute(None, {}),
    ],
)
def test_wrong_questions_are_refused(call):
    with pytest.raises((TVMError, TypeError, ValueError)) as caught:
        call(tir.Var("x", "int64"))
    assert str(caught.value)


def test_facts_are_replaced_only_where_that_is_said():
    x, bound, modular = tir.Var("x", "int32"), arith.ConstIntBound, arith.ModularSet
    for first, second in [(bound(0, 4), bound(1, 10)), (modular(4, 1), modular(6, 1))]:
        cx = arith.Analyzer()
        cx.update(x, first)
        cx.update(x, first)
        with pytest.raises(TVMError, match="override"):
            cx.update(x, second)
        cx.update(x, second, override=True)
        found = cx.const_int_bound(x) if isinstance(first, bound) else cx.modular_set(x)
        assert found == second
    cx = arith.Analyzer()
    cx.bind(x, Range(0, 4))
    with pytest.raises(TVMError, match="allow_override"):
        cx.bind(x, Range(0, 8))
    assert cx.const_int_bound(x).max_value == 3
    cx.bind(x, Range(0, 8), allow_override=True)
    assert cx.const_int_bound(x).max_value == 7


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (lambda x, y: x + y, (arith.ConstIntBound.NEG_INF, 4)),
        (lambda x, y: x - y, (1, arith.ConstIntBound.POS_INF)),
        (lambda x, y: tir.truncdiv(x, y), (-4, 0)),
        (lambda x, y: x * y, (arith.ConstIntBound.NEG_INF, 0)),
        (lambda x, y: tir.Cast("int64", x) + 1, (2, 5)),
        (lambda x, y: tir.Var("u", "uint64"), (0, arith.ConstIntBound.POS_INF)),
        (lambda x, y: tir.Var("b", "int8") + tir.Var("c", "int8"), (-256, 254)),
        (lambda x, y: tir.shift_left(x, 2), (4, 16)),
    ],
)
def test_bounds_are_open_where_nothing_bounds_them(written, expected):
    x, y, cx = tir.Var("x", "int32"), tir.Var("y", "int32"), arith.Analyzer()
    cx.update(x, arith.ConstIntBound(1, 4))
    cx.update(y, arith.ConstIntBound(arith.ConstIntBound.NEG_INF, 0))
    found = cx.const_int_bound(written(x, y))
    assert (found.min_value, found.max_value) == expected


def test_constants_have_a_type_that_holds_them():
    assert tir.const(1e300).dtype == "float64" and tir.const(1e300).value == 1e300
    assert tir.const(1.5).dtype == "float32"
    with pytest.raises(TVMError, match="out of the range of float32"):
        tir.FloatImm("float32", 1e300)


def test_repeated_operations_are_found():
    x, y = tir.Var("x", "float32"), tir.Var("y", "float32")
    whole = tir.floor(x + y + 0.5) + tir.floor(x) + tir.floor(x + y + 0.5)
    found = arith.detect_common_subexpr(whole, 2)
    assert [int(count) for count in found.values()] == [2]


def test_the_values_of_a_let_are_a_set():
    x, z = tir.Var("x", "int32"), tir.Var("z", "int32")
    found = arith.Analyzer().int_set(tir.Let(z, x + 1, z * 2), {x: arith.IntervalSet(0, 10)})
    assert (int(found.min_value), int(found.max_value)) == (2, 22)
