# Partly known types of values: nothing, the rank, the data type; opaque objects and functions.
# test: print
# run: main(f32[2], f32[2, 2], f32[3]) == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor, y: R.Tensor(ndim=2), z: R.Tensor(dtype="float32")) -> R.Tuple(R.Tensor, R.Tensor(ndim=2), R.Object):
        n = T.int64()
        a = R.match_cast(z, R.Tensor((n,), "float32"))
        b = R.add(a, a)
        c: R.Object = b
        return (x, y, c)

    @R.function(private=True, pure=False)
    def opaque(f: R.Callable, g: R.Callable(ret=R.Object, purity=True), h: R.Callable(None, R.Tensor, False), s: R.Shape, o: R.Object) -> R.Object:
        a = f(o)
        b = g(a, s)
        c = h(b)
        d = R.ExternFunc("other")
        e = R.invoke_closure(o, (c, d), sinfo_args=(R.Object,))
        return e

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(), y: R.Tensor(ndim=2), z: R.Tensor(dtype="float32")) -> R.Tuple(R.Tensor(), R.Tensor(ndim=2), R.Object):
        n = T.int64()
        a: R.Tensor((n,), dtype="float32") = R.match_cast(z, R.Tensor((n,), dtype="float32"))
        b: R.Tensor((n,), dtype="float32") = R.add(a, a)
        c: R.Tensor((n,), dtype="float32") = b
        return (x, y, c)

    @R.function(private=True, pure=False)
    def opaque(f: R.Callable(ret=R.Object, purity=False), g: R.Callable(ret=R.Object, purity=True), h: R.Callable(ret=R.Tensor(), purity=False), s: R.Shape(), o: R.Object) -> R.Object:
        a: R.Object = f(o)
        b: R.Object = g(a, s)
        c: R.Tensor() = h(b)
        d: R.Callable(ret=R.Object, purity=False) = R.ExternFunc("other")
        e: R.Object = R.invoke_closure(o, (c, d), sinfo_args=(R.Object,))
        return e
