# Values that are no tensors: numbers of each sort, shapes, texts, data types; attributes; purity.
# test: print
# run: numbers(i64=3, f64=0.5, bool=1) == same
# run: shapes n=3 == same
# run: said(f32[2]=[1, 2]) == same
# run: forced == same

@I.ir_module
class Module:
    @R.function
    def numbers(n: R.Prim(value="n"), h: R.Prim("float64"), b: R.Prim("bool")):
        n = T.int64()
        R.func_attr({"note": "numbers", "count": 3})
        a = R.prim_value(n + 1)
        c = R.prim_value(T.float32(2.5))
        d = R.prim_value(True)
        return (a, b, c, d, h)

    @R.function
    def shapes(x: R.Tensor(("n", 2), "float32")) -> R.Shape(["n", "n * 2"]):
        n = T.int64()
        s = R.shape([n, n * 2])
        return s

    @R.function(pure=False)
    def said(x: R.Tensor((2,), "float32")):
        _ = R.print(x, R.prim_value(1), R.shape([2, 3]), R.str("text"), R.dtype("int8"), (x, R.tuple()), format="{} {} {} {} {} {}")
        _1 = R.assert_op(R.const(True, "bool"), x, format="x is {}")
        _2 = R.print(x)
        return x

    @R.function
    def forced(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"relax.force_pure": True})
        _ = R.print(x)
        return x

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(force_pure=True)
    def forced(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        _: R.Tuple() = R.print(x, format="")
        return x

    @R.function
    def numbers(n: R.Prim(value="n_1"), h: R.Prim("float64"), b: R.Prim("bool")) -> R.Tuple(R.Prim(value="n_1 + 1"), R.Prim("bool"), R.Prim(value=T.float32(2.5)), R.Prim(value=T.bool(True)), R.Prim("float64")):
        n_1 = T.int64()
        R.func_attr({"count": 3, "note": "numbers"})
        a: R.Prim(value=n_1 + 1) = R.prim_value(n_1 + 1)
        c: R.Prim(value=T.float32(2.5)) = R.prim_value(T.float32(2.5))
        d: R.Prim(value=T.bool(True)) = R.prim_value(T.bool(True))
        return (a, b, c, d, h)

    @R.function(pure=False)
    def said(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        _: R.Tuple() = R.print(x, R.prim_value(1), R.shape([2, 3]), R.str("text"), R.dtype("int8"), (x, R.tuple()), format="{} {} {} {} {} {}")
        _1: R.Tuple() = R.assert_op(R.const(True, "bool"), x, format="x is {}")
        _2: R.Tuple() = R.print(x, format="")
        return x

    @R.function
    def shapes(x: R.Tensor(("n", 2), dtype="float32")) -> R.Shape(["n", "n * 2"]):
        n = T.int64()
        s: R.Shape([n, n * 2]) = R.shape([n, n * 2])
        return s
