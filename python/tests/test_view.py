"""Every class of the IR in Python: made by its constructor, read, compared, pickled, printed, given wrong arguments."""

import copy
import math
import pickle

import numpy as np
import pytest
from samples import MADE_OTHERWISE, Samples, made

import tilewright as tw
from tilewright import arith, ir, relax, tir
from tilewright.ir import Op, Range, structural_equal, structural_hash
from tilewright.runtime import Object

REFUSED = (tw.TVMError, TypeError, ValueError)
#: Statements that the constructor makes as another class.
MADE_AS = {"tir.Allocate": "tir.DeclBuffer", "tir.AttrStmt": "tir.AttrStmt"}


def subclasses(cls):
    for one in cls.__subclasses__():
        yield one
        yield from subclasses(one)


def kinds():
    """The classes of the IR by kind."""
    found = {one.__dict__["_kind"]: one for one in subclasses(Object) if "_kind" in one.__dict__}
    # A program that imports the package as `tvm` has its classes say so.
    return {kind: cls for kind, cls in found.items() if cls.__module__.startswith(("tilewright.", "tvm."))}


def samples():
    return list(Samples().all())


NUMBERS = range(len(samples()))


def names(number):
    return f"{number}-{samples()[number][0].__name__}"


def annotated(cls):
    """The names of the fields that a class and its bases annotate."""
    return {name for one in cls.__mro__ for name in vars(one).get("__annotations__", ()) if not name.startswith("_")}


def test_every_class_has_a_sample():
    with_sample = {cls._kind for cls, _ in samples()}
    assert set(kinds()) == with_sample | set(MADE_OTHERWISE)


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_a_constructor_makes_its_class(number):
    cls, args = samples()[number]
    one = cls(*args)
    expected = MADE_AS.get(cls._kind, cls._kind)
    assert type(one)._kind == expected and isinstance(one, Object)
    assert one == one and not (one != one) and one.same_as(one) and hash(one) == hash(one)  # noqa: SIM202
    assert not one.same_as(3) and not one.same_as(None) and one is not None
    assert structural_equal(one, one) and structural_hash(one) == structural_hash(one)


def test_every_annotated_field_can_be_read():
    for one in made():
        for name in annotated(type(one)):
            getattr(one, name)
        with pytest.raises(AttributeError, match=f"{type(one).__name__}.*`no_such_field`"):
            _ = one.no_such_field


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_arguments_are_read_back_as_fields(number):
    cls, args = samples()[number]
    one = cls(*args)
    if cls._kind in ("ir.Range", "tir.Allocate", "relax.PrimStructInfo", "tir.PrimFunc"):
        return  # Their arguments are no fields.
    code = cls.__new__.__code__
    parameters = code.co_varnames[1 : code.co_argcount]
    aliases = {
        "data_or_idx": "data",
        "type_annot": "struct_info",
        "src": "source",
        "rdom": "axis",
        "target": "target_text",
    }
    for name, given in zip(parameters, args, strict=False):
        found = getattr(one, aliases.get(name, name))
        if isinstance(given, (list, tuple)) and not isinstance(given, Object):
            assert len(list(found)) == len(given), name
        elif isinstance(given, dict):
            assert dict(found) == given, name
        elif isinstance(given, Object) and not isinstance(found, relax.SeqExpr):
            assert found.same_as(given) or structural_equal(found, given), name
        elif given is not None and not isinstance(found, Object) and not hasattr(found, "numpy"):
            assert found == given, name


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_objects_are_pickled(number):
    cls, args = samples()[number]
    one = cls(*args)
    if cls in (tir.CommReducer, tir.Reduce):
        with pytest.raises(TypeError, match="make a PrimFunc"):
            pickle.dumps(one)
        return
    if cls is tir.ProducerLoad:
        return  # A load of a buffer, once the tensor is not there.
    again = pickle.loads(pickle.dumps(one))
    assert type(again) is type(one) and str(again) == str(one)
    assert structural_equal(again, one, map_free_vars=True)
    assert structural_equal(copy.deepcopy(one), one, map_free_vars=True) and str(copy.copy(one)) == str(one)


def test_pickles_keep_sharing():
    x = tir.Var("x", "int32")
    pair = pickle.loads(pickle.dumps(x + x))
    assert pair.a.same_as(pair.b)
    nothing = pickle.loads(pickle.dumps(arith.IntSet.nothing()))
    assert nothing.is_nothing() and not pickle.loads(pickle.dumps(arith.IntSet.everything())).is_nothing()


def test_functions_and_modules_print_text_that_reads_back():
    for one in made():
        if isinstance(one, tir.PrimFunc):
            continue  # The sample uses variables that are free.
        if isinstance(one, relax.Function):
            ir.assert_structural_equal(tw.script.from_source(str(one)), one)
            ir.assert_structural_equal(tw.script.from_source(one.script()), one)


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_texts_are_no_data(number):
    cls, args = samples()[number]
    text = repr(cls(*args))
    assert text and '"format"' not in text and "0x" not in text


# Values that fit nowhere, or only by accident.


def hostile():
    itself = []
    itself.append(itself)
    deep = []
    for _ in range(5000):
        deep = [deep]
    by_itself = {}
    by_itself["a"] = by_itself
    one = Samples()
    return [
        None, True, -1, 0, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, math.nan, math.inf, -math.inf, 0.5, 1e308,
        "", "a\0b", "\ud800", "float32", "int32x4", "bogus", b"bytes", "é", [], [1], [None], ["a"], itself, deep,
        (1, 2), {}, {"a": 1}, {1: 2}, by_itself, object(), int, len, lambda: 0, np.float32(2), np.int64(2**40),
        np.zeros(3), np.zeros(()), range(3), {1, 2}, (i for i in range(2)), one.i, one.A, one.x, one.i == one.i,
        Range(0, 4), relax.TensorStructInfo((2,)), tir.Evaluate(0), relax.Tuple([]), relax.SeqExpr([], one.x),
        Op.get("relax.add"), tir.IntImm("int32", 3), tir.StringImm("s"), arith.ConstIntBound(0, 1), ir.GlobalVar("f"),
        [one.i], [one.A], [one.x], tw.IRModule(), tw.nd.array(np.zeros(2, "float32")),
    ]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_wrong_arguments_are_refused_in_words(number):
    cls, args = samples()[number]
    for place in range(len(args)):
        for wrong in hostile():
            given = [*args[:place], wrong, *args[place + 1 :]]
            try:
                one = cls(*given)
            except REFUSED as error:
                assert not isinstance(error, RecursionError) and str(error), wrong
                continue
            # What is taken can be used.
            str(one)
            assert hash(one) == hash(one)
            for name in annotated(type(one)):
                getattr(one, name)


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_a_wrong_argument_is_named_with_its_class(number):
    cls, args = samples()[number]
    code = cls.__new__.__code__
    parameters = list(code.co_varnames[1 : code.co_argcount])
    unnamed = []
    for place in range(len(args)):
        if cls is relax.PrimStructInfo and parameters[place] == "dtype" and len(args) > 1:
            continue  # What is not looked at.
        try:
            cls(*args[:place], object(), *args[place + 1 :])
        except REFUSED as error:
            text = str(error)
            if cls.__name__ not in text and parameters[place] not in text:
                unnamed.append((parameters[place], text))
        else:
            unnamed.append((parameters[place], "nothing raised"))
    assert not unnamed


@pytest.mark.parametrize("number", NUMBERS, ids=names)
def test_the_number_of_arguments_is_checked(number):
    cls, args = samples()[number]
    with pytest.raises(TypeError):
        cls(*args, *[None] * 12)
    with pytest.raises(TypeError):
        cls(*args, no_such_argument=1)
    if len(args) and cls._kind not in (
        "relax.PrimStructInfo",
        "relax.ShapeStructInfo",
        "relax.TensorStructInfo",
        "ir.VDevice",
    ):
        with pytest.raises(TypeError):
            cls()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda s: tir.IntImm("int8", 300), "tir.IntImm: 300 is out of the range of int8"),
        (lambda s: tir.IntImm("int64", 2**64), "tir.IntImm: argument `value` has more than 64 bits"),
        (lambda s: tir.Var("x", "bogus"), 'tir.Var: argument `dtype` .* found the text "bogus"'),
        (lambda s: tir.Add(s.i, s.A), "tir.Add: argument `b` is a scalar expression or a number, found Buffer"),
        (lambda s: s.i + 10**30, "argument `b` has more than 64 bits"),
        (lambda s: tir.For(s.i, 0, 4, 7, tir.Evaluate(0)), "tir.For: `kind` is a number from 0 to 4, found 7"),
        (lambda s: tir.For(s.i, 0, 4, tir.ForKind.THREAD_BINDING, tir.Evaluate(0)), "`thread_binding`"),
        (lambda s: tir.IterVar(Range(0, 4), s.i, 77), "tir.IterVar: `iter_type`"),
        (lambda s: tir.BufferLoad(s.A, [0]), "buffer `A` has 2 dimensions, found 1 indices"),
        (
            lambda s: tir.PrimFunc([s.i], tir.Evaluate(0), None, {s.j: s.A}),
            "`buffer_map` has a key that is no parameter",
        ),
        (lambda s: tir.PrimFunc(None, tir.Evaluate(0)), "tir.PrimFunc: argument `params` is a list"),
        (lambda s: relax.TensorStructInfo((2, -3), "float32"), "a dimension is not negative, found -3"),
        (lambda s: relax.TensorStructInfo((2,), "float32", ndim=5), "1 dimensions are not 5"),
        (lambda s: relax.TensorStructInfo(ndim=-7), "`ndim` is -1 or more"),
        (lambda s: relax.ShapeExpr([0.5]), "a dimension is a scalar integer, found float32"),
        (lambda s: relax.PrimValue("a"), "StringImm"),
        (lambda s: relax.TupleGetItem(s.pair, 2), "a tuple of 2 fields has no field 2"),
        (lambda s: relax.TupleGetItem(s.pair, -1), "found -1"),
        (lambda s: relax.If(s.x, s.x, s.x), "a condition must be a scalar bool"),
        (lambda s: relax.Call(Op.get("relax.add"), [s.x]), "`add` takes 2 arguments"),
        (lambda s: Op.get("relax.nope"), "there is no operator `relax.nope`"),
        (lambda s: arith.IntervalSet("a", None), "arith.IntervalSet: the end of an interval is an integer"),
        (lambda s: list(s.A), "not iterable"),
        (lambda s: list(s.x), "only a tuple has fields"),
        (lambda s: s.A[0:4:0, 0], "goes forward"),
        (lambda s: s.A[0:2], "the buffer `A` has 2 dimensions, found 1"),
        (lambda s: s.A.vload([0, 0], "int8"), "the buffer `A` has elements of float32"),
        (lambda s: bool(s.i), "no truth value"),
        (lambda s: s.i / 2, "rounding"),
        (lambda s: tir.Stmt(), "`Stmt` covers several classes"),
        (lambda s: s.i.script(width=-1), "`width` is out of range"),
        (lambda s: s.i.script(nonsense=1), "no option `nonsense`"),
    ],
)
def test_messages_name_the_problem(make, message):
    with pytest.raises((*REFUSED, RuntimeError), match=message):
        make(Samples())


def test_numbers_keep_their_value():
    for dtype, value in [("uint64", 2**64 - 1), ("uint64", 2**63), ("int64", -(2**63)), ("uint8", 255), ("bool", 1)]:
        assert tir.IntImm(dtype, value).value == value
    assert tir.const(2**64 - 1, "uint64").value == 2**64 - 1
    assert math.isnan(tir.FloatImm("float32", math.nan).value) and tir.FloatImm("float64", 1e308).value == 1e308
    assert tir.IntImm("bool", 1).value is True
    assert int(tir.IntImm("int32", 7)) == 7 and [0, 1][tir.IntImm("int32", 1)] == 1


def test_variables_are_equal_to_themselves_only():
    a, b = tir.Var("x", "int32"), tir.Var("x", "int32")
    assert bool(a == a) and not bool(a == b) and bool(a != b) and len({a, b, a}) == 2
    assert isinstance((a == b).asobject(), tir.EQ) and isinstance((a != b).asobject(), tir.NE)
    p, q = relax.Var("x", relax.ObjectStructInfo()), relax.Var("x", relax.ObjectStructInfo())
    assert p == p and p != q and len({p, q, p}) == 2 and p.vid.same_as(p.vid) and p.vid != q.vid


def test_equal_objects_have_equal_hashes():
    for left, right in zip(made(), made(), strict=True):
        if isinstance(left, (relax.StructInfo, ir.GlobalInfo, ir.GlobalVar, Op)) and "n" not in str(left):
            assert left == right and hash(left) == hash(right), left
    assert ir.GlobalVar("f") == ir.GlobalVar("f") and ir.GlobalVar("f") != ir.GlobalVar("g")


def test_struct_infos_are_compared_by_contents():
    n = tir.SizeVar("n", "int64")
    known, other = relax.TensorStructInfo((n, 4), "float32"), relax.TensorStructInfo((n, 4), "float32")
    assert known == other and known != relax.TensorStructInfo((n, 5), "float32") and len({known, other}) == 1
    assert relax.TensorStructInfo(ndim=2, dtype="float32").is_base_of(known)
    assert not known.is_base_of(relax.TensorStructInfo(ndim=2, dtype="float32"))
    assert relax.ObjectStructInfo().is_base_of(known)


def test_isinstance_tells_operators_apart():
    i = tir.Var("i", "int32")
    assert isinstance(i + 1, tir.Add) and not isinstance(i + 1, tir.Sub) and isinstance(i + 1, tir.PrimExpr)
    assert isinstance(i // 2, tir.FloorDiv) and isinstance(i % 2, tir.FloorMod) and isinstance(-i, tir.Mul)
    assert (
        isinstance(tir.truncdiv(i, 2), tir.Div)
        and isinstance(i << 1, tir.Call)
        and (i << 1).op.name == "tir.shift_left"
    )
    assert isinstance(tir.all(i > 0, i < 4), tir.And) and isinstance(tir.any(i > 0, i < 4), tir.Or)
    assert isinstance(relax.const(1), relax.Constant) and isinstance(ir.GlobalVar("f"), relax.Expr)


def test_attributes_are_the_given_ones():
    said = {"a": 1, "b": 0.5, "c": "text", "d": [1, [2, "x"]], "e": {"f": True, "g": None}}
    function = relax.Function([], relax.Tuple([]), attrs=said)
    assert function.attrs["a"] == 1 and function.attrs["d"][1][1] == "x" and function.attrs["e"]["f"] is True
    assert function.with_attr("a", 2).attrs["a"] == 2 and function.attrs["a"] == 1
    assert "a" not in function.without_attr("a").attrs and dict(function.without_attr("zz").attrs) == dict(
        function.attrs
    )
    with pytest.raises(REFUSED):
        function.with_attr("a", object())
    with pytest.raises(REFUSED):
        function.with_attr(3, 1)


CROSS = {
    "relax.call_tir": lambda x, out: relax.op.call_tir(ir.GlobalVar("f"), [x], out),
    "relax.call_tir_inplace": lambda x, out: relax.op.call_tir_inplace(ir.GlobalVar("f"), [x], [0], out),
    "relax.call_tir_with_grad": lambda x, out: relax.op.call_tir_with_grad(
        ir.GlobalVar("f"), [x], out, "f_grad", {"k": 1}
    ),
    "relax.call_dps_packed": lambda x, out: relax.op.call_dps_packed("f", [x], out),
    "relax.call_pure_packed": lambda x, out: relax.op.call_pure_packed("f", x, x, sinfo_args=out),
    "relax.call_inplace_packed": lambda x, out: relax.op.call_inplace_packed("f", x, inplace_indices=0, sinfo_args=out),
    "relax.call_builtin_with_ctx": lambda x, out: relax.op.call_builtin_with_ctx("f", [x], sinfo_args=out),
    "relax.invoke_closure": lambda x, out: relax.op.invoke_closure(relax.Var("c", relax.ObjectStructInfo()), [x], out),
    "relax.invoke_pure_closure": lambda x, out: relax.op.invoke_pure_closure(
        relax.Var("c", relax.ObjectStructInfo()), [x], out
    ),
}


@pytest.mark.parametrize("name", CROSS)
def test_calls_between_the_levels_are_rebuilt_as_they_were(name):
    out = relax.TensorStructInfo((2, 3), "float32")
    call = CROSS[name](relax.Var("x", out), out)
    assert call.op.name == name and call.struct_info == out
    again = relax.Call(call.op, call.args, call.attrs, call.sinfo_args)
    ir.assert_structural_equal(again, call)

    class Touch(relax.PyExprMutator):
        def visit_var_(self, op):
            return other if op.name_hint == "x" else op

    other = relax.Var("y", out)
    changed = Touch().visit_expr(call)
    assert changed.op.name == name and dict(changed.attrs) == dict(call.attrs)
    assert "y" in str(changed.args) and changed.struct_info == out


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x, out: relax.Call(Op.get("relax.call_tir"), []), "needs a function"),
        (
            lambda x, out: relax.Call(Op.get("relax.call_tir"), [x, relax.Tuple([x])], None, [out]),
            "this kind of function",
        ),
        (lambda x, out: relax.op.call_tir(ir.GlobalVar("f"), [x], []), "at least one result"),
        (lambda x, out: relax.op.call_tir(ir.GlobalVar("f"), [x], relax.ObjectStructInfo()), "tensor of known shape"),
        (lambda x, out: relax.op.call_tir_inplace(ir.GlobalVar("f"), [x], [5], out), "5"),
        (
            lambda x, out: relax.Call(Op.get("relax.call_tir_inplace"), [ir.GlobalVar("f"), x], {}, [out]),
            "inplace_indices",
        ),
        (
            lambda x, out: relax.Call(Op.get("relax.call_tir_with_grad"), [ir.GlobalVar("f"), x], {}, [out]),
            "te_grad_name",
        ),
        (
            lambda x, out: relax.Call(Op.get("relax.call_tir"), [ir.GlobalVar("f"), x, x], {}, [out]),
            "a function and a tuple",
        ),
        (lambda x, out: relax.op.invoke_closure(x, [x], out), "expected a function"),
    ],
)
def test_calls_between_the_levels_are_checked(make, message):
    out = relax.TensorStructInfo((2, 3), "float32")
    with pytest.raises(REFUSED, match=message):
        make(relax.Var("x", out), out)


def test_variables_are_underlined_where_they_stand():
    x = relax.Var("x", relax.TensorStructInfo((2,), "float32"))
    y = relax.Var("y", relax.TensorStructInfo((2,), "float32"))
    block = relax.BindingBlock([relax.VarBinding(y, x + x)])
    function = relax.Function([x], relax.SeqExpr([block], y))

    def marked(*parts):
        lines = function.script(obj_to_underline=list(parts)).splitlines()
        return [
            (lines[n - 1].strip(), lines[n].strip())
            for n in range(len(lines))
            if set(lines[n].strip()) <= {"^", " "} and lines[n]
        ]

    assert [under.count("^") for _, under in marked(x)] == [len(str(x.struct_info)) + 3, 2]
    assert [line[:1] for line, _ in marked(y)] == ["y", "r"]
    assert marked(block.bindings[0])[0][1] == "^" * len("R.add(x, x)")
    i = tir.Var("i", "int32")
    assert (i * 4 + i).script(obj_to_underline=[i]).splitlines()[1] == "^       ^"


def test_objects_cannot_be_changed():
    for one in made():
        for name in annotated(type(one)):
            with pytest.raises((AttributeError, TypeError)):
                setattr(one, name, 3)


def test_a_conversion_that_is_named_is_a_node():
    i = tir.Var("i", "int32")
    for value in (1, 2.5, tir.IntImm("int64", -3), i):
        cast = tir.Cast("float32", value)
        assert isinstance(cast, tir.Cast) and structural_equal(tir.Cast(cast.dtype, cast.value), cast)
    assert isinstance(tir.Cast("int32", i).value, tir.Var)
    assert isinstance(tir.const(1, "int32").astype("float32"), tir.FloatImm)
