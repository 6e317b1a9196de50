# Forms of Python in graphs: dimensions as texts, tuples, nested calls, the spelling of 2022.
# test: print
# run: dims(f32[3, 4], f32[6], f32[2]) == same
# run: older == same
# run: text(f32[2, 2]) == same
# run: several == same
# run: device == same
# run: forced == same
# run: impure == same

@I.ir_module
class Module:
    @T.prim_func
    def split(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(3):
            B[i] = A[0, i]
            C[i] = A[1, i]

    @R.function
    def dims(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n * 2",), "float32"), z: R.Tensor("float32", ndim=1)):
        n = T.int64()
        a: R.Tensor((n, 4), "float32") = R.add(x, R.nn.relu(R.negative(x)))
        b: R.Tensor((n * 2,), "float32") = R.add(y, y)
        return (a, b, z)

    @R.function
    def older(x: R.Tensor((2, 3), "float32")):
        t = R.call_tir(split, (x,), ((3,), (3,)), dtype=("float32", "float32"))
        y = R.emit(R.add(t[0], t[1]))
        z = R.emit_with_sinfo("relax.add", (y, y), R.Tensor((3,), "float32"))
        return z

    @R.function
    def text(x: R.Tensor((2, 2), "float32")):
        y = R.call_tir("test.copy", (x,), (2, 2), dtype="float32")
        return y

    @R.function
    def several(x: R.Tensor((2, 3), "float32")):
        t = R.call_tir(Module.split, (x,), out_sinfo=[R.Tensor((3,), "float32"), R.Tensor((3,), "float32")])
        a, b = t
        c = Module.added(a, b)
        return c

    @R.function
    def added(a: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        c = R.add(a, b)
        return c

    @R.function(force_pure=True)
    def forced(x: R.Tensor((2,), "float32")):
        R.func_attr({"relax.force_pure": True})
        _ = R.print(x)
        return x

    @R.function
    def impure(x: R.Tensor((2,), "float32")):
        R.is_impure()
        y = R.add(x, x)
        return y

    @R.function
    def device(x: R.Tensor((2,), "float32")):
        y: R.Tensor((2,), "float32", vdevice=I.vdevice("llvm", 5)) = R.to_vdevice(x, I.vdevice("llvm", 5))
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def split(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(3):
            B[i] = A[0, i]
            C[i] = A[1, i]

    @R.function
    def added(a: R.Tensor((3,), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        c: R.Tensor((3,), dtype="float32") = R.add(a, b)
        return c

    @R.function
    def device(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32", vdevice=I.vdevice("llvm", 5, "global")):
        y: R.Tensor((2,), dtype="float32", vdevice=I.vdevice("llvm", 5, "global")) = R.to_vdevice(x, dst_vdevice=I.vdevice("llvm", 5, "global"))
        return y

    @R.function
    def dims(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n * 2",), dtype="float32"), z: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n * 2",), dtype="float32"), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        gv: R.Tensor((n, 4), dtype="float32") = R.negative(x)
        gv1: R.Tensor((n, 4), dtype="float32") = R.nn.relu(gv)
        a: R.Tensor((n, 4), dtype="float32") = R.add(x, gv1)
        b: R.Tensor((n * 2,), dtype="float32") = R.add(y, y)
        return (a, b, z)

    @R.function(force_pure=True)
    def forced(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        _: R.Tuple() = R.print(x, format="")
        return x

    @R.function(pure=False)
    def impure(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        y: R.Tensor((2,), dtype="float32") = R.add(x, x)
        return y

    @R.function
    def older(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        t = R.call_tir(cls.split, (x,), out_sinfo=[R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")])
        gv: R.Tensor((3,), dtype="float32") = t[0]
        gv1: R.Tensor((3,), dtype="float32") = t[1]
        gv2: R.Tensor((3,), dtype="float32") = R.add(gv, gv1)
        y: R.Tensor((3,), dtype="float32") = gv2
        gv3: R.Tensor((3,), dtype="float32") = R.add(y, y)
        z: R.Tensor((3,), dtype="float32") = gv3
        return z

    @R.function
    def several(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        t = R.call_tir(cls.split, (x,), out_sinfo=[R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")])
        a: R.Tensor((3,), dtype="float32") = t[0]
        b: R.Tensor((3,), dtype="float32") = t[1]
        c: R.Tensor((3,), dtype="float32") = cls.added(a, b)
        return c

    @R.function
    def text(x: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        y = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return y
