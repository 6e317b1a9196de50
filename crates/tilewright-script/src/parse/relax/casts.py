# Casts that are checked when the program runs: tensors, shapes, tuples, unknown ranks, numbers.
# test: print
# run: tensor(f32[2, 3]) == same
# run: shape(f32[2, 3]) == same
# run: tuples(f32[4], f32[4, 5]) == same
# run: rank(f32[3]) == same
# run: number(i64=5) == same

@I.ir_module
class Module:
    @R.function
    def tensor(x: R.Tensor) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        m = T.int64()
        y = R.match_cast(x, R.Tensor((n, m), "float32"))
        z = R.add(y, y)
        return z

    @R.function
    def shape(x: R.Tensor(("n", "m"), "float32")) -> R.Tuple(R.Shape(ndim=2), R.Tensor(dtype="int64", ndim=1)):
        n = T.int64()
        m = T.int64()
        a = T.int64()
        s: R.Shape(ndim=2) = R.shape_of(x)
        t = R.match_cast(s, R.Shape([n, a]))
        u = R.shape_to_tensor(R.shape([n * a, a + 1, m]))
        v = R.tensor_to_shape(u)
        w = R.match_cast(v, R.Shape([n * a, a + 1, m]))
        return (t, u)

    @R.function
    def tuples(x: R.Tensor(ndim=1), y: R.Tensor(dtype="float32")):
        n = T.int64()
        m = T.int64()
        t: R.Tuple(R.Tensor(ndim=1), R.Tensor(dtype="float32")) = (x, y)
        c = R.match_cast(t, R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n, m), "float32")))
        a = c[0]
        b = c[1]
        return (R.shape([n, m]), a, b)

    @R.function
    def rank(x: R.Object) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        y = R.match_cast(x, R.Tensor(dtype="float32", ndim=1))
        z = R.match_cast(y, R.Tensor((n,), "float32"))
        w = R.negative(z)
        return w

    @R.function
    def number(k: R.Prim("int64")) -> R.Prim("int64"):
        n = T.int64()
        c = R.match_cast(k, R.Prim(value=n))
        r = R.prim_value(n * 2 + 1)
        return r

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def number(k: R.Prim("int64")) -> R.Prim("int64"):
        n = T.int64()
        c: R.Prim(value=n) = R.match_cast(k, R.Prim(value=n))
        r: R.Prim(value=n * 2 + 1) = R.prim_value(n * 2 + 1)
        return r

    @R.function
    def rank(x: R.Object) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        y: R.Tensor(dtype="float32", ndim=1) = R.match_cast(x, R.Tensor(dtype="float32", ndim=1))
        z: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
        w: R.Tensor((n,), dtype="float32") = R.negative(z)
        return w

    @R.function
    def shape(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tuple(R.Shape(ndim=2), R.Tensor(dtype="int64", ndim=1)):
        n = T.int64()
        a = T.int64()
        m = T.int64()
        s: R.Shape(ndim=2) = R.shape_of(x)
        t: R.Shape([n, a]) = R.match_cast(s, R.Shape([n, a]))
        u: R.Tensor((3,), dtype="int64") = R.shape_to_tensor(R.shape([n * a, a + 1, m]))
        v: R.Shape(ndim=3) = R.tensor_to_shape(u)
        w: R.Shape([n * a, a + 1, m]) = R.match_cast(v, R.Shape([n * a, a + 1, m]))
        return (t, u)

    @R.function
    def tensor(x: R.Tensor()) -> R.Tensor(dtype="float32", ndim=2):
        n = T.int64()
        m = T.int64()
        y: R.Tensor((n, m), dtype="float32") = R.match_cast(x, R.Tensor((n, m), dtype="float32"))
        z: R.Tensor((n, m), dtype="float32") = R.add(y, y)
        return z

    @R.function
    def tuples(x: R.Tensor(ndim=1), y: R.Tensor(dtype="float32")) -> R.Tuple(R.Shape(ndim=2), R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=2)):
        n = T.int64()
        m = T.int64()
        t: R.Tuple(R.Tensor(ndim=1), R.Tensor(dtype="float32")) = (x, y)
        c: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n, m), dtype="float32")) = R.match_cast(t, R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n, m), dtype="float32")))
        a: R.Tensor((n,), dtype="float32") = c[0]
        b: R.Tensor((n, m), dtype="float32") = c[1]
        return (R.shape([n, m]), a, b)
