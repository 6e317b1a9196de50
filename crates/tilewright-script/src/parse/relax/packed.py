# Calls of packed functions: pure, in place, with the machine, through values.
# test: print
# run: main(f32[2], f32[2]) == same
# run: values(f32[2], f32[2]) == same
# run: passed(f32[2]) == same

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        a = R.call_pure_packed("test.last", x, y, sinfo_args=(R.Tensor((2,), "float32"),))
        b = R.add(x, x)
        c = R.call_inplace_packed("test.last", a, b, inplace_indices=[1], sinfo_args=(R.Tensor((2,), "float32"),))
        d = R.call_builtin_with_ctx("test.last", (x, c), sinfo_args=(R.Tensor((2,), "float32"),))
        e = R.call_packed("test.last", d, sinfo_args=(R.Tensor((2,), "float32"),))
        return e

    @R.function(pure=False)
    def values(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        f: R.Callable(ret=R.Object, purity=False) = R.ExternFunc("test.last")
        a = f(x, y)
        b = R.match_cast(a, R.Tensor((2,), "float32"))
        return b

    @R.function(private=True, pure=False)
    def applied(f: R.Callable(ret=R.Object, purity=False), x: R.Tensor((2,), "float32")) -> R.Object:
        y = f(x)
        return y

    @R.function(pure=False)
    def passed(x: R.Tensor((2,), "float32")):
        cls = Module
        f = R.ExternFunc("test.last")
        y = cls.applied(f, x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True, pure=False)
    def applied(f: R.Callable(ret=R.Object, purity=False), x: R.Tensor((2,), dtype="float32")) -> R.Object:
        y: R.Object = f(x)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        a: R.Tensor((2,), dtype="float32") = R.call_pure_packed("test.last", x, y, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        b: R.Tensor((2,), dtype="float32") = R.add(x, x)
        c: R.Tensor((2,), dtype="float32") = R.call_inplace_packed("test.last", a, b, inplace_indices=[1], sinfo_args=(R.Tensor((2,), dtype="float32"),))
        d: R.Tensor((2,), dtype="float32") = R.call_builtin_with_ctx("test.last", (x, c), sinfo_args=(R.Tensor((2,), dtype="float32"),))
        e: R.Tensor((2,), dtype="float32") = R.call_packed("test.last", d, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        return e

    @R.function(pure=False)
    def passed(x: R.Tensor((2,), dtype="float32")) -> R.Object:
        cls = Module
        f: R.Callable(ret=R.Object, purity=False) = R.ExternFunc("test.last")
        y: R.Object = cls.applied(f, x)
        return y

    @R.function(pure=False)
    def values(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        f: R.Callable(ret=R.Object, purity=False) = R.ExternFunc("test.last")
        a: R.Object = f(x, y)
        b: R.Tensor((2,), dtype="float32") = R.match_cast(a, R.Tensor((2,), dtype="float32"))
        return b
