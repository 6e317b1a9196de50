# Calls of one operator on tensors of one shape are different functions where their attributes differ.
# test: opt --pass LegalizeOps
# run: main == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            a = R.sum(x, axis=[0])
            b = R.sum(x, axis=[1])
            c = R.sum(x, axis=[0], keepdims=True)
            d = R.sum(R.add(x, x), axis=[1])
            z = R.add(R.add(R.add(a, b), R.multiply(c, d)), R.subtract(x, R.expand_dims(b, axis=[1])))
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((T.int64(2), T.int64(2)), "float32"), x_1: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_add: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], x_1[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = x[v_i0, v_i1] + x_1[v_i0, v_i1]

    @T.prim_func(private=True)
    def add1(a: T.Buffer((T.int64(2),), "float32"), b: T.Buffer((T.int64(2),), "float32"), T_add: T.Buffer((T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(2)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(2), i0)
                T.reads(a[v_i0], b[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = a[v_i0] + b[v_i0]

    @T.prim_func(private=True)
    def add2(lv1: T.Buffer((T.int64(2),), "float32"), lv2: T.Buffer((T.int64(1), T.int64(2)), "float32"), T_add: T.Buffer((T.int64(1), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(1), T.int64(2)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv1[v_i1], lv2[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = lv1[v_i1] + lv2[v_i0, v_i1]

    @T.prim_func(private=True)
    def add3(lv3: T.Buffer((T.int64(1), T.int64(2)), "float32"), lv5: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_add: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv3[T.int64(0), v_i1], lv5[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = lv3[T.int64(0), v_i1] + lv5[v_i0, v_i1]

    @T.prim_func(private=True)
    def expand_dims(b: T.Buffer((T.int64(2),), "float32"), expand_dims: T.Buffer((T.int64(2), T.int64(1)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(1)):
            with T.block("expand_dims"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0])
                T.writes(expand_dims[v_i0, v_i1])
                expand_dims[v_i0, v_i1] = b[v_i0]

    @T.prim_func(private=True)
    def multiply(c: T.Buffer((T.int64(1), T.int64(2)), "float32"), d: T.Buffer((T.int64(2),), "float32"), T_multiply: T.Buffer((T.int64(1), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(1), T.int64(2)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1], d[v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = c[v_i0, v_i1] * d[v_i1]

    @T.prim_func(private=True)
    def subtract(x: T.Buffer((T.int64(2), T.int64(2)), "float32"), lv4: T.Buffer((T.int64(2), T.int64(1)), "float32"), T_subtract: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], lv4[v_i0, T.int64(0)])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = x[v_i0, v_i1] - lv4[v_i0, T.int64(0)]

    @T.prim_func(private=True)
    def sum(x: T.Buffer((T.int64(2), T.int64(2)), "float32"), x_red: T.Buffer((T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, k0 in T.grid(T.int64(2), T.int64(2)):
            with T.block("x_red"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(x[v_k0, v_i0])
                T.writes(x_red[v_i0])
                with T.init():
                    x_red[v_i0] = T.float32(0.0)
                x_red[v_i0] = x_red[v_i0] + x[v_k0, v_i0]

    @T.prim_func(private=True)
    def sum1(x: T.Buffer((T.int64(2), T.int64(2)), "float32"), x_red: T.Buffer((T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, k1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("x_red"):
                v_i0, v_k1 = T.axis.remap("SR", [i0, k1])
                T.reads(x[v_i0, v_k1])
                T.writes(x_red[v_i0])
                with T.init():
                    x_red[v_i0] = T.float32(0.0)
                x_red[v_i0] = x_red[v_i0] + x[v_i0, v_k1]

    @T.prim_func(private=True)
    def sum2(x: T.Buffer((T.int64(2), T.int64(2)), "float32"), x_red: T.Buffer((T.int64(1), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k0 in T.grid(T.int64(1), T.int64(2), T.int64(2)):
            with T.block("x_red"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(x[v_k0, v_i1])
                T.writes(x_red[v_i0, v_i1])
                with T.init():
                    x_red[v_i0, v_i1] = T.float32(0.0)
                x_red[v_i0, v_i1] = x_red[v_i0, v_i1] + x[v_k0, v_i1]

    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.sum, (x,), out_sinfo=R.Tensor((2,), dtype="float32"))
            b = R.call_tir(cls.sum1, (x,), out_sinfo=R.Tensor((2,), dtype="float32"))
            c = R.call_tir(cls.sum2, (x,), out_sinfo=R.Tensor((1, 2), dtype="float32"))
            lv = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            d = R.call_tir(cls.sum1, (lv,), out_sinfo=R.Tensor((2,), dtype="float32"))
            lv1 = R.call_tir(cls.add1, (a, b), out_sinfo=R.Tensor((2,), dtype="float32"))
            lv2 = R.call_tir(cls.multiply, (c, d), out_sinfo=R.Tensor((1, 2), dtype="float32"))
            lv3 = R.call_tir(cls.add2, (lv1, lv2), out_sinfo=R.Tensor((1, 2), dtype="float32"))
            lv4 = R.call_tir(cls.expand_dims, (b,), out_sinfo=R.Tensor((2, 1), dtype="float32"))
            lv5 = R.call_tir(cls.subtract, (x, lv4), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            z = R.call_tir(cls.add3, (lv3, lv5), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            R.output(z)
        return z
