# Branches that meet are one group; an output in the middle, a reduction and an effect end one.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), y: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.exp(x)
            left = R.add(a, y)
            right = R.negative(a)
            both = R.multiply(left, right)
            seen = R.abs(both)
            total = R.sum(seen, axis=[1])
            root = R.sqrt(total)
            packed = R.call_dps_packed("test.copy", (root,), out_sinfo=R.Tensor((3,), "float32"))
            doubled = R.add(packed, packed)
            out = R.subtract(doubled, root)
            R.output(seen, out)
        return (seen, out)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((T.int64(3), T.int64(4)), "float32"), y: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], y[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = a[v_i0, v_i1] + y[v_i1]

    @T.prim_func(private=True)
    def add1(packed: T.Buffer((T.int64(3),), "float32"), packed_1: T.Buffer((T.int64(3),), "float32"), T_add: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(3)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(3), i0)
                T.reads(packed[v_i0], packed_1[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = packed[v_i0] + packed_1[v_i0]

    @T.prim_func(private=True)
    def multiply(left: T.Buffer((T.int64(3), T.int64(4)), "float32"), right: T.Buffer((T.int64(3), T.int64(4)), "float32"), T_multiply: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(left[v_i0, v_i1], right[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = left[v_i0, v_i1] * right[v_i0, v_i1]

    @T.prim_func(private=True)
    def subtract(doubled: T.Buffer((T.int64(3),), "float32"), root: T.Buffer((T.int64(3),), "float32"), T_subtract: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(3)):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(T.int64(3), i0)
                T.reads(doubled[v_i0], root[v_i0])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = doubled[v_i0] - root[v_i0]

    @T.prim_func(private=True)
    def sum(seen: T.Buffer((T.int64(3), T.int64(4)), "float32"), seen_red: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, k1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("seen_red"):
                v_i0, v_k1 = T.axis.remap("SR", [i0, k1])
                T.reads(seen[v_i0, v_k1])
                T.writes(seen_red[v_i0])
                with T.init():
                    seen_red[v_i0] = T.float32(0.0)
                seen_red[v_i0] = seen_red[v_i0] + seen[v_i0, v_k1]

    @T.prim_func(private=True)
    def tir_abs(both: T.Buffer((T.int64(3), T.int64(4)), "float32"), compute: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(both[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.abs(both[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_exp(x: T.Buffer((T.int64(3), T.int64(4)), "float32"), compute: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_negative(a: T.Buffer((T.int64(3), T.int64(4)), "float32"), compute: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = a[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_sqrt(total: T.Buffer((T.int64(3),), "float32"), compute: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(3)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(3), i0)
                T.reads(total[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.sqrt(total[v_i0])

    @R.function(private=True)
    def fused_add1_subtract(packed: R.Tensor((3,), dtype="float32"), root: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            doubled = R.call_tir(cls.add1, (packed, packed), out_sinfo=R.Tensor((3,), dtype="float32"))
            out = R.call_tir(cls.subtract, (doubled, root), out_sinfo=R.Tensor((3,), dtype="float32"))
            R.output(out)
        return out

    @R.function(private=True)
    def fused_tir_exp_add_tir_negative_multiply_tir_abs(x: R.Tensor((3, 4), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.tir_exp, (x,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            left = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            right = R.call_tir(cls.tir_negative, (a,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            both = R.call_tir(cls.multiply, (left, right), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            seen = R.call_tir(cls.tir_abs, (both,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            R.output(seen)
        return seen

    @R.function
    def main(x: R.Tensor((3, 4), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3,), dtype="float32")):
        cls = Module
        with R.dataflow():
            seen: R.Tensor((3, 4), dtype="float32") = cls.fused_tir_exp_add_tir_negative_multiply_tir_abs(x, y)
            total = R.call_tir(cls.sum, (seen,), out_sinfo=R.Tensor((3,), dtype="float32"))
            root = R.call_tir(cls.tir_sqrt, (total,), out_sinfo=R.Tensor((3,), dtype="float32"))
            packed = R.call_dps_packed("test.copy", (root,), out_sinfo=R.Tensor((3,), dtype="float32"))
            out: R.Tensor((3,), dtype="float32") = cls.fused_add1_subtract(packed, root)
            R.output(seen, out)
        return (seen, out)
