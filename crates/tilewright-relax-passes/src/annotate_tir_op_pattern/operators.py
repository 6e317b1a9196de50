# What operators become: element for element, repeated, moved, reduced, products, and what nothing is known of.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 2), "float32"), b: R.Tensor((3,), "float32")):
        with R.dataflow():
            plus = R.add(x, b)
            spread = R.broadcast_to(b, (2, 3))
            turned = R.permute_dims(plus)
            total = R.sum(spread, axis=[0])
            average = R.mean(x, axis=[1], keepdims=True)
            product = R.matmul(x, w)
            soft = R.nn.softmax(product)
            running = R.cumsum(soft, axis=1)
            out = (turned, total, average, running)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), b: T.Buffer((T.int64(3),), "float32"), T_add: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], b[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = x[v_i0, v_i1] + b[v_i1]

    @T.prim_func(private=True)
    def broadcast_to(b: T.Buffer((T.int64(3),), "float32"), T_broadcast_to: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 1, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_broadcast_to"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i1])
                T.writes(T_broadcast_to[v_i0, v_i1])
                T_broadcast_to[v_i0, v_i1] = b[v_i1]

    @T.prim_func(private=True)
    def cumsum(soft: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_cumsum: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        with T.block("T_cumsum"):
            T.reads(soft[T.int64(0):T.int64(2), T.int64(0):T.int64(2)])
            T.writes(T_cumsum[T.int64(0):T.int64(2), T.int64(0):T.int64(2)])
            for i0 in T.parallel(T.int64(2)):
                with T.block("line"):
                    T.reads()
                    T.writes()
                    so_far = T.alloc_buffer((T.int64(1),), "float64", scope="local")
                    so_far[T.int64(0)] = T.float64(-0.0)
                    for vector in range(T.int64(0)):
                        taken: T.float32x16 = soft[i0, T.Ramp(vector * T.int64(16), T.int64(1), 16)]
                        both: T.float32x16 = T.Shuffle([taken], [0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14]) + taken
                        together: T.float32x16 = T.Shuffle([taken, both], [0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31])
                        both_1: T.float32x16 = T.Shuffle([together], [0, 1, 1, 1, 4, 5, 5, 5, 8, 9, 9, 9, 12, 13, 13, 13]) + together
                        together_1: T.float32x16 = T.Shuffle([together, both_1], [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31])
                        both_2: T.float32x16 = T.Shuffle([together_1], [0, 1, 2, 3, 3, 3, 3, 3, 8, 9, 10, 11, 11, 11, 11, 11]) + together_1
                        together_2: T.float32x16 = T.Shuffle([together_1, both_2], [0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31])
                        both_3: T.float32x16 = T.Shuffle([together_2], [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7]) + together_2
                        together_3: T.float32x16 = T.Shuffle([together_2, both_3], [0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31])
                        carry: T.float64x16 = T.Broadcast(so_far[T.int64(0)], 16)
                        all: T.float64x16 = carry + T.Cast("float64x16", together_3)
                        T_cumsum[i0, T.Ramp(vector * T.int64(16), T.int64(1), 16)] = T.Cast("float32x16", all)
                        so_far[T.int64(0)] = T.Shuffle([all], [15])
                    taken: T.float32x16 = soft.vload([i0, T.Ramp(T.Mul(T.int64(0), T.int64(16)), T.int64(1), 16)], predicate=T.Ramp(T.Mul(T.int64(0), T.int64(16)), T.int64(1), 16) < T.Broadcast(T.int64(2), 16))
                    both: T.float32x16 = T.Shuffle([taken], [0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14]) + taken
                    together: T.float32x16 = T.Shuffle([taken, both], [0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31])
                    both_1: T.float32x16 = T.Shuffle([together], [0, 1, 1, 1, 4, 5, 5, 5, 8, 9, 9, 9, 12, 13, 13, 13]) + together
                    together_1: T.float32x16 = T.Shuffle([together, both_1], [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31])
                    both_2: T.float32x16 = T.Shuffle([together_1], [0, 1, 2, 3, 3, 3, 3, 3, 8, 9, 10, 11, 11, 11, 11, 11]) + together_1
                    together_2: T.float32x16 = T.Shuffle([together_1, both_2], [0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31])
                    both_3: T.float32x16 = T.Shuffle([together_2], [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7]) + together_2
                    together_3: T.float32x16 = T.Shuffle([together_2, both_3], [0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31])
                    carry: T.float64x16 = T.Broadcast(so_far[T.int64(0)], 16)
                    all: T.float64x16 = carry + T.Cast("float64x16", together_3)
                    T_cumsum.vstore([i0, T.Ramp(T.Mul(T.int64(0), T.int64(16)), T.int64(1), 16)], T.Cast("float32x16", all), predicate=T.Ramp(T.Mul(T.int64(0), T.int64(16)), T.int64(1), 16) < T.Broadcast(T.int64(2), 16))
                    so_far[T.int64(0)] = T.Shuffle([all], [15])

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), w: T.Buffer((T.int64(3), T.int64(2)), "float32"), matmul: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(2), T.int64(2), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]

    @T.prim_func(private=True)
    def mean(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), T_divide: T.Buffer((T.int64(2), T.int64(1)), "float32")):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        x_red = T.alloc_buffer((T.int64(2), T.int64(1)))
        for i0, i1, k1 in T.grid(T.int64(2), T.int64(1), T.int64(3)):
            with T.block("x_red"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(x[v_i0, v_k1])
                T.writes(x_red[v_i0, v_i1])
                with T.init():
                    x_red[v_i0, v_i1] = T.float32(0.0)
                x_red[v_i0, v_i1] = x_red[v_i0, v_i1] + x[v_i0, v_k1]
        for i0, i1 in T.grid(T.int64(2), T.int64(1)):
            with T.block("T_divide"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x_red[v_i0, v_i1])
                T.writes(T_divide[v_i0, v_i1])
                T_divide[v_i0, v_i1] = x_red[v_i0, v_i1] / T.float32(3.0)

    @T.prim_func(private=True)
    def softmax(product: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_softmax: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        T_softmax_maxelem = T.alloc_buffer((T.int64(2), T.int64(1)))
        T_softmax_exp = T.alloc_buffer((T.int64(2), T.int64(2)))
        T_softmax_expsum = T.alloc_buffer((T.int64(2), T.int64(1)))
        for i0, i1, k1 in T.grid(T.int64(2), T.int64(1), T.int64(2)):
            with T.block("T_softmax_maxelem"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(product[v_i0, v_k1])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32("-inf")
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], product[v_i0, v_k1])
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(product[v_i0, v_i1], T_softmax_maxelem[v_i0, T.int64(0)])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(product[v_i0, v_i1] - T_softmax_maxelem[v_i0, T.int64(0)])
        for i0, i1, k1 in T.grid(T.int64(2), T.int64(1), T.int64(2)):
            with T.block("T_softmax_expsum"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(T_softmax_exp[v_i0, v_k1])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_i0, v_k1]
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_softmax"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0, T.int64(0)])
                T.writes(T_softmax[v_i0, v_i1])
                T_softmax[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0, T.int64(0)]

    @T.prim_func(private=True)
    def sum(spread: T.Buffer((T.int64(2), T.int64(3)), "float32"), spread_red: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, k0 in T.grid(T.int64(3), T.int64(2)):
            with T.block("spread_red"):
                v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
                T.reads(spread[v_k0, v_i0])
                T.writes(spread_red[v_i0])
                with T.init():
                    spread_red[v_i0] = T.float32(0.0)
                spread_red[v_i0] = spread_red[v_i0] + spread[v_k0, v_i0]

    @T.prim_func(private=True)
    def transpose(plus: T.Buffer((T.int64(2), T.int64(3)), "float32"), T_transpose: T.Buffer((T.int64(3), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(2)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(plus[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = plus[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((3, 2), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tensor((3, 2), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((2, 1), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        cls = Module
        with R.dataflow():
            plus = R.call_tir(cls.add, (x, b), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            spread = R.call_tir(cls.broadcast_to, (b,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            turned = R.call_tir(cls.transpose, (plus,), out_sinfo=R.Tensor((3, 2), dtype="float32"))
            total = R.call_tir(cls.sum, (spread,), out_sinfo=R.Tensor((3,), dtype="float32"))
            average = R.call_tir(cls.mean, (x,), out_sinfo=R.Tensor((2, 1), dtype="float32"))
            product = R.call_tir(cls.matmul, (x, w), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            soft = R.call_tir(cls.softmax, (product,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            running = R.call_tir(cls.cumsum, (soft,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            out: R.Tuple(R.Tensor((3, 2), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((2, 1), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (turned, total, average, running)
            R.output(out)
        return out
