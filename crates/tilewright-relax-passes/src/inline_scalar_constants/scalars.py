# Numbers of several types go in, equal ones into one function; integers, NaN, rows and what a call writes stay arguments.
# test: opt --pass LegalizeOps --pass InlineScalarConstants --pass DeadCodeElimination
# run: main n=3 == same
# run: main n=3 special == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def counted(count: T.Buffer((1,), "float32"), x: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.block("x"):
                vi = T.axis.spatial(2, i)
                x[vi] = count[0] + T.float32(1)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), i: R.Tensor(("n",), "int32"), h: R.Tensor((1, 2), "float16")):
        cls = Module
        with R.dataflow():
            half = R.const(0.5, "float32")
            a = R.multiply(x, half)
            b = R.multiply(a, R.const(0.5, "float32"))
            c = R.multiply(b, R.const(float("-inf"), "float32"))
            d = R.add(c, R.const(float("nan"), "float32"))
            e = R.where(R.const(True, "bool"), a, d)
            f = R.add(i, R.const(3, "int32"))
            g = R.add(h, R.const([[0.1]], "float16"))
            k = R.call_tir(cls.counted, (R.const([2.5], "float32"),), out_sinfo=R.Tensor((2,), "float32"))
            R.output(c, e, f, g, k)
        return (c, e, f, g, k)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(var_c: T.handle, x2: T.Buffer((), "float32"), var_T_add: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n,), "float32")
        T_add = T.match_buffer(var_T_add, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(c[v_i0], x2[()])
                T.writes(T_add[v_i0])
                T_add[v_i0] = c[v_i0] + x2[()]

    @T.prim_func(private=True)
    def add1(var_i: T.handle, var_T_add: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        i = T.match_buffer(var_i, (n,), "int32")
        T_add = T.match_buffer(var_T_add, (n,), "int32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(i[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = i[v_i0] + 3

    @T.prim_func(private=True)
    def add21(h: T.Buffer((T.int64(1), T.int64(2)), "float16"), T_add: T.Buffer((T.int64(1), T.int64(2)), "float16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(1), T.int64(2)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(h[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = h[v_i0, v_i1] + T.float16(0.099975586)

    @T.prim_func(private=True)
    def counted1(x: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("x"):
                vi = T.axis.spatial(2, i)
                T.reads()
                T.writes(x[vi])
                x[vi] = T.Add(T.float32(2.5), T.float32(1.0))

    @T.prim_func(private=True)
    def multiply1(var_a: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_multiply"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0])
                T.writes(T_multiply[v_i0])
                T_multiply[v_i0] = a[v_i0] * T.float32(0.5)

    @T.prim_func(private=True)
    def multiply2(var_b: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n,), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_multiply"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(b[v_i0])
                T.writes(T_multiply[v_i0])
                T_multiply[v_i0] = b[v_i0] * T.float32("-inf")

    @T.prim_func(private=True)
    def multiply3(var_x: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_multiply"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(x[v_i0])
                T.writes(T_multiply[v_i0])
                T_multiply[v_i0] = x[v_i0] * T.float32(0.5)

    @T.prim_func(private=True)
    def where1(var_a: T.handle, var_d: T.handle, var_T_where: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        d = T.match_buffer(var_d, (n,), "float32")
        T_where = T.match_buffer(var_T_where, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_where"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0], d[v_i0])
                T.writes(T_where[v_i0])
                T_where[v_i0] = T.Select(T.bool(True), a[v_i0], d[v_i0])

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), i: R.Tensor(("n",), dtype="int32"), h: R.Tensor((1, 2), dtype="float16")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="float32"), R.Tensor(("n",), dtype="int32"), R.Tensor((1, 2), dtype="float16"), R.Tensor((2,), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.multiply3, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
            b = R.call_tir(cls.multiply1, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
            c = R.call_tir(cls.multiply2, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.add, (c, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((n,), dtype="float32"))
            e = R.call_tir(cls.where1, (a, d), out_sinfo=R.Tensor((n,), dtype="float32"))
            f = R.call_tir(cls.add1, (i,), out_sinfo=R.Tensor((n,), dtype="int32"))
            g = R.call_tir(cls.add21, (h,), out_sinfo=R.Tensor((1, 2), dtype="float16"))
            k = R.call_tir(cls.counted1, (), out_sinfo=R.Tensor((2,), dtype="float32"))
            R.output(c, e, f, g, k)
        return (c, e, f, g, k)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AADAfw=="},
]}
