# Functions as values: capture of variables and dimensions, in tuples, returned, with arguments given, calling themselves.
# test: print
# run: captures n=3 == same
# run: stored n=2 == same
# run: made == same
# run: countdown(i64=4, f32[2]=[1, 2]) == f32[2]=[5, 6]
# run: local(f32[2]=[1, 2]) == same
# run: even(i64=7) == same
# run: passed == same

@I.ir_module
class Module:
    @R.function
    def captures(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def inner(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            w = R.add(z, y)
            return w

        r = inner(x)
        return r

    @R.function
    def stored(x: R.Tensor(("n",), "float32")):
        n = T.int64()

        @R.function
        def twice(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            w = R.add(z, z)
            return w

        @R.function
        def make(k: R.Tensor((n,), "float32")) -> R.Callable((R.Tensor((n,), "float32"),), R.Tensor((n,), "float32"), True):
            @R.function
            def added(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
                w = R.add(z, k)
                return w

            return added

        made = make(x)
        both = (twice, (made, x))
        f = both[0]
        g = both[1][0]
        a = f(x)
        b = g(a)
        return b

    @R.function
    def plus(a: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        c = R.subtract(a, b)
        return c

    @R.function(pure=False)
    def made(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        cls = Module
        f = R.make_closure(cls.plus, (y,))
        a = R.invoke_closure(f, (x,), sinfo_args=R.Tensor((2,), "float32"))
        g = R.make_closure(cls.plus, (x, y))
        b = R.invoke_pure_closure(g, (), sinfo_args=R.Tensor((2,), "float32"))
        return (a, b)

    @R.function
    def countdown(n: R.Prim(value="n"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        n = T.int64()
        cls = Module
        if R.prim_value(n > 0):
            y = R.add(x, R.const(1.0, "float32"))
            z = cls.countdown(R.prim_value(n - 1), y)
        else:
            z = x
        return z

    @R.function
    def local(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        @R.function
        def itself(z: R.Tensor((2,), "float32"), go: R.Tensor((), "bool")) -> R.Tensor((2,), "float32"):
            if go:
                r = itself(z, R.const(False, "bool"))
            else:
                r = R.negative(z)
            return r

        r = itself(x, R.const(True, "bool"))
        return r

    @R.function
    def even(n: R.Prim(value="n")) -> R.Prim("bool"):
        n = T.int64()
        cls = Module
        if R.prim_value(n == 0):
            r: R.Prim("bool") = R.prim_value(True)
        else:
            r: R.Prim("bool") = cls.odd(R.prim_value(n - 1))
        return r

    @R.function
    def odd(n: R.Prim(value="n")) -> R.Prim("bool"):
        n = T.int64()
        cls = Module
        if R.prim_value(n == 0):
            r: R.Prim("bool") = R.prim_value(False)
        else:
            r: R.Prim("bool") = cls.even(R.prim_value(n - 1))
        return r

    @R.function
    def apply(f: R.Callable((R.Tensor((2,), "float32"), R.Tensor((2,), "float32")), R.Tensor((2,), "float32"), True), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = f(x, x)
        return y

    @R.function
    def passed(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = cls.apply(cls.plus, x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def apply(f: R.Callable((R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")), R.Tensor((2,), dtype="float32"), True), x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        y: R.Tensor((2,), dtype="float32") = f(x, x)
        return y

    @R.function
    def captures(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        @R.function
        def inner(z: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
            w: R.Tensor((n,), dtype="float32") = R.add(z, y)
            return w
        r: R.Tensor((n,), dtype="float32") = inner(x)
        return r

    @R.function
    def countdown(n: R.Prim(value="n_1"), x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        n_1 = T.int64()
        cls = Module
        if R.prim_value(n_1 > 0):
            y: R.Tensor((2,), dtype="float32") = R.add(x, R.const(1.0, "float32"))
            z: R.Tensor((2,), dtype="float32") = cls.countdown(R.prim_value(n_1 - 1), y)
        else:
            z: R.Tensor((2,), dtype="float32") = x
        return z

    @R.function
    def even(n: R.Prim(value="n_1")) -> R.Prim("bool"):
        n_1 = T.int64()
        cls = Module
        if R.prim_value(n_1 == 0):
            r: R.Prim("bool") = R.prim_value(T.bool(True))
        else:
            r: R.Prim("bool") = cls.odd(R.prim_value(n_1 - 1))
        return r

    @R.function
    def local(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        @R.function
        def itself(z: R.Tensor((2,), dtype="float32"), go: R.Tensor((), dtype="bool")) -> R.Tensor((2,), dtype="float32"):
            if go:
                r: R.Tensor((2,), dtype="float32") = itself(z, R.const(False, "bool"))
            else:
                r: R.Tensor((2,), dtype="float32") = R.negative(z)
            return r
        r: R.Tensor((2,), dtype="float32") = itself(x, R.const(True, "bool"))
        return r

    @R.function(pure=False)
    def made(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        cls = Module
        f: R.Object = R.make_closure(cls.plus, (y,))
        a: R.Tensor((2,), dtype="float32") = R.invoke_closure(f, (x,), sinfo_args=(R.Tensor((2,), dtype="float32"),))
        g: R.Object = R.make_closure(cls.plus, (x, y))
        b: R.Tensor((2,), dtype="float32") = R.invoke_pure_closure(g, (), sinfo_args=(R.Tensor((2,), dtype="float32"),))
        return (a, b)

    @R.function
    def odd(n: R.Prim(value="n_1")) -> R.Prim("bool"):
        n_1 = T.int64()
        cls = Module
        if R.prim_value(n_1 == 0):
            r: R.Prim("bool") = R.prim_value(T.bool(False))
        else:
            r: R.Prim("bool") = cls.even(R.prim_value(n_1 - 1))
        return r

    @R.function
    def passed(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y: R.Tensor((2,), dtype="float32") = cls.apply(cls.plus, x)
        return y

    @R.function
    def plus(a: R.Tensor((2,), dtype="float32"), b: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        c: R.Tensor((2,), dtype="float32") = R.subtract(a, b)
        return c

    @R.function
    def stored(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        @R.function
        def twice(z: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
            w: R.Tensor((n,), dtype="float32") = R.add(z, z)
            return w
        @R.function
        def make(k: R.Tensor(("n",), dtype="float32")) -> R.Callable((R.Tensor(("n",), dtype="float32"),), R.Tensor(("n",), dtype="float32"), True):
            @R.function
            def added(z: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
                w: R.Tensor((n,), dtype="float32") = R.add(z, k)
                return w
            return added
        made: R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True) = make(x)
        both: R.Tuple(R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True), R.Tuple(R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True), R.Tensor((n,), dtype="float32"))) = (twice, (made, x))
        f: R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True) = both[0]
        gv: R.Tuple(R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True), R.Tensor((n,), dtype="float32")) = both[1]
        g: R.Callable((R.Tensor((n,), dtype="float32"),), R.Tensor((n,), dtype="float32"), True) = gv[0]
        a: R.Tensor((n,), dtype="float32") = f(x)
        b: R.Tensor((n,), dtype="float32") = g(a)
        return b
