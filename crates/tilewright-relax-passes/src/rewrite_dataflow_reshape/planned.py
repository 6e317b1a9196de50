# A view lies in planned memory, which stays taken until the last use of either; what leaves the function is a copy.
# test: opt --pass LegalizeOps --pass RewriteDataflowReshape --pass DataflowUseInplaceCalls --pass DeadCodeElimination --pass ToNonDataflow --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.sin(x)
            b = R.reshape(a, (6,))
            c = R.exp(x)
            d = R.sum(c, axis=1)
            e = R.subtract(b, R.sum(d))
            f = R.reshape(e, (3, 2))
            g = R.permute_dims(f)
            h = R.add(g, a)
            R.output(h)
        return h

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add_inplace(g: T.Buffer((T.int64(2), T.int64(3)), "float32"), a: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(g[v_i0, v_i1], a[v_i0, v_i1])
                T.writes(g[v_i0, v_i1])
                g[v_i0, v_i1] = g[v_i0, v_i1] + a[v_i0, v_i1]

    @T.prim_func(private=True)
    def subtract(b: T.Buffer((T.int64(6),), "float32"), lv: T.Buffer((), "float32"), T_subtract: T.Buffer((T.int64(6),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(6)):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(T.int64(6), i0)
                T.reads(b[v_i0], lv[()])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = b[v_i0] - lv[()]

    @T.prim_func(private=True)
    def sum(c: T.Buffer((T.int64(2), T.int64(3)), "float32"), c_red: T.Buffer((T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, k1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("c_red"):
                v_i0, v_k1 = T.axis.remap("SR", [i0, k1])
                T.reads(c[v_i0, v_k1])
                T.writes(c_red[v_i0])
                with T.init():
                    c_red[v_i0] = T.float32(0.0)
                c_red[v_i0] = c_red[v_i0] + c[v_i0, v_k1]

    @T.prim_func(private=True)
    def sum1(d: T.Buffer((T.int64(2),), "float32"), d_red: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for k0 in range(T.int64(2)):
            with T.block("d_red"):
                v_k0 = T.axis.reduce(T.int64(2), k0)
                T.reads(d[v_k0])
                T.writes(d_red[()])
                with T.init():
                    d_red[()] = T.float32(0.0)
                d_red[()] = d_red[()] + d[v_k0]

    @T.prim_func(private=True)
    def tir_exp(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_sin(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.sin(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def transpose(f: T.Buffer((T.int64(3), T.int64(2)), "float32"), T_transpose: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(f[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = f[v_i1, v_i0]

    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        storage: R.Tensor((152,), dtype="uint8") = R.memory.alloc_storage(bytes=152)
        a: R.Tensor((2, 3), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([2, 3]), offset=0, dtype="float32", bytes=24)
        _: R.Tuple() = cls.tir_sin(x, a)
        b: R.Tensor((6,), dtype="float32") = R.memory.view(a, R.shape([6]), dtype="void", relative_byte_offset=0)
        c: R.Tensor((2, 3), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([2, 3]), offset=64, dtype="float32", bytes=24)
        __1: R.Tuple() = cls.tir_exp(x, c)
        d: R.Tensor((2,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([2]), offset=128, dtype="float32", bytes=8)
        __2: R.Tuple() = cls.sum(c, d)
        lv: R.Tensor((), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([]), offset=64, dtype="float32", bytes=4)
        __3: R.Tuple() = cls.sum1(d, lv)
        e: R.Tensor((6,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([6]), offset=128, dtype="float32", bytes=24)
        __4: R.Tuple() = cls.subtract(b, lv, e)
        f: R.Tensor((3, 2), dtype="float32") = R.memory.view(e, R.shape([3, 2]), dtype="void", relative_byte_offset=0)
        g: R.Tensor((2, 3), dtype="float32") = R.builtin.alloc_tensor(R.shape([2, 3]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.transpose(f, g)
        __6: R.Tuple() = cls.add_inplace(g, a)
        h: R.Tensor((2, 3), dtype="float32") = g
        return h
