# A tensor keeps its offset until its last use, through aliases, tuples and `match_cast`.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((20,), "float32")):
        a = R.negative(x)
        pair = (a, x)
        alias = pair
        b = R.nn.relu(x)
        checked = R.match_cast(b, R.Tensor((20,), "float32"))
        c = R.abs(x)
        d = R.add(c, c)
        e = R.add(d, checked)
        f = alias[0]
        g = R.subtract(e, f)
        return g

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(c: T.Buffer((T.int64(20),), "float32"), c_1: T.Buffer((T.int64(20),), "float32"), T_add: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(c[v_i0], c_1[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = c[v_i0] + c_1[v_i0]

    @T.prim_func(private=True)
    def relu(x: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(x[v_i0], T.float32(0.0))

    @T.prim_func(private=True)
    def subtract(e: T.Buffer((T.int64(20),), "float32"), f: T.Buffer((T.int64(20),), "float32"), T_subtract: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(e[v_i0], f[v_i0])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = e[v_i0] - f[v_i0]

    @T.prim_func(private=True)
    def tir_abs(x: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.abs(x[v_i0])

    @T.prim_func(private=True)
    def tir_negative(x: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = x[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((20,), dtype="float32")) -> R.Tensor((20,), dtype="float32"):
        cls = Module
        storage: R.Tensor((464,), dtype="uint8") = R.memory.alloc_storage(bytes=464)
        a: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
        _: R.Tuple() = cls.tir_negative(x, a)
        pair: R.Tuple(R.Tensor((20,), dtype="float32"), R.Tensor((20,), dtype="float32")) = (a, x)
        alias: R.Tuple(R.Tensor((20,), dtype="float32"), R.Tensor((20,), dtype="float32")) = pair
        b: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
        __1: R.Tuple() = cls.relu(x, b)
        checked: R.Tensor((20,), dtype="float32") = R.match_cast(b, R.Tensor((20,), dtype="float32"))
        c: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=256, dtype="float32", bytes=80)
        __2: R.Tuple() = cls.tir_abs(x, c)
        d: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=384, dtype="float32", bytes=80)
        __3: R.Tuple() = cls.add(c, c, d)
        e: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=256, dtype="float32", bytes=80)
        __4: R.Tuple() = cls.add(d, checked, e)
        f: R.Tensor((20,), dtype="float32") = a
        g: R.Tensor((20,), dtype="float32") = R.builtin.alloc_tensor(R.shape([20]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.subtract(e, f, g)
        return g
