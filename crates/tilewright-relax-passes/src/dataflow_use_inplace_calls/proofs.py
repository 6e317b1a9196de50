# A PrimFunc that reads its argument at other indices than it writes, or again after it has written, does not work in
# place, nor does one that reads all elements before it writes, unless they are of one row; one whose stages read an
# element or a row does.
# test: opt --pass DataflowUseInplaceCalls --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plus_one(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = x[vi] + T.float32(1)

    @T.prim_func(private=True)
    def reversed(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = x[7 - vi]

    @T.prim_func(private=True)
    def twice(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = x[vi] * T.float32(2)
        for i in range(8):
            with T.block("z"):
                vi = T.axis.spatial(8, i)
                y[vi] = y[vi] + x[vi]

    @T.prim_func(private=True)
    def centred(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        s = T.alloc_buffer((1,), "float32")
        for k in range(8):
            with T.block("s"):
                vk = T.axis.reduce(8, k)
                with T.init():
                    s[0] = T.float32(0)
                s[0] = s[0] + x[vk]
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = x[vi] - s[0] * T.float32(0.125)

    @T.prim_func(private=True)
    def staged(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        t = T.alloc_buffer((8,), "float32")
        for i in range(8):
            with T.block("t"):
                vi = T.axis.spatial(8, i)
                t[vi] = x[vi] + T.float32(2)
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = T.max(t[vi], T.float32(0))

    @T.prim_func(private=True)
    def staged_sum(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        t = T.alloc_buffer((8,), "float32")
        for i in range(8):
            with T.block("t"):
                vi = T.axis.spatial(8, i)
                t[vi] = x[vi] + T.float32(2)
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                y[vi] = t[vi] + t[7 - vi]

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.plus_one, (x,), out_sinfo=R.Tensor((8,), "float32"))
            b = R.call_tir(cls.reversed, (a,), out_sinfo=R.Tensor((8,), "float32"))
            c = R.call_tir(cls.twice, (b,), out_sinfo=R.Tensor((8,), "float32"))
            d = R.call_tir(cls.centred, (c,), out_sinfo=R.Tensor((8,), "float32"))
            e = R.call_tir(cls.plus_one, (d,), out_sinfo=R.Tensor((8,), "float32"))
            f = R.call_tir(cls.staged_sum, (e,), out_sinfo=R.Tensor((8,), "float32"))
            g = R.call_tir(cls.staged, (f,), out_sinfo=R.Tensor((8,), "float32"))
            R.output(g)
        return g

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def centred_inplace(x: T.Buffer((8,), "float32")):
        # with T.block("root"):
        s = T.alloc_buffer((1,))
        for k in range(8):
            with T.block("s"):
                vk = T.axis.reduce(8, k)
                T.reads(x[vk])
                T.writes(s[0])
                with T.init():
                    s[0] = T.float32(0.0)
                s[0] = s[0] + x[vk]
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi], s[0])
                T.writes(x[vi])
                x[vi] = x[vi] - s[0] * T.float32(0.125)

    @T.prim_func(private=True)
    def plus_one(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + T.float32(1.0)

    @T.prim_func(private=True)
    def plus_one_inplace(x: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi])
                T.writes(x[vi])
                x[vi] = x[vi] + T.float32(1.0)

    @T.prim_func(private=True)
    def reversed(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(x[7 - vi])
                T.writes(y[vi])
                y[vi] = x[7 - vi]

    @T.prim_func(private=True)
    def staged_inplace(x: T.Buffer((8,), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((8,))
        for i in range(8):
            with T.block("t"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi])
                T.writes(t[vi])
                t[vi] = x[vi] + T.float32(2.0)
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(t[vi])
                T.writes(x[vi])
                x[vi] = T.max(t[vi], T.float32(0.0))

    @T.prim_func(private=True)
    def staged_sum(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((8,))
        for i in range(8):
            with T.block("t"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi])
                T.writes(t[vi])
                t[vi] = x[vi] + T.float32(2.0)
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(t[0:8])
                T.writes(y[vi])
                y[vi] = t[vi] + t[7 - vi]

    @T.prim_func(private=True)
    def twice(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        # with T.block("root"):
        for i in range(8):
            with T.block("y"):
                vi = T.axis.spatial(8, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] * T.float32(2.0)
        for i in range(8):
            with T.block("z"):
                vi = T.axis.spatial(8, i)
                T.reads(y[vi], x[vi])
                T.writes(y[vi])
                y[vi] = y[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.plus_one, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            b = R.call_tir(cls.reversed, (a,), out_sinfo=R.Tensor((8,), dtype="float32"))
            c = R.call_tir(cls.twice, (b,), out_sinfo=R.Tensor((8,), dtype="float32"))
            d = R.call_tir_inplace(cls.centred_inplace, (c,), inplace_indices=[0], out_sinfo=R.Tensor((8,), dtype="float32"))
            e = R.call_tir_inplace(cls.plus_one_inplace, (d,), inplace_indices=[0], out_sinfo=R.Tensor((8,), dtype="float32"))
            f = R.call_tir(cls.staged_sum, (e,), out_sinfo=R.Tensor((8,), dtype="float32"))
            g = R.call_tir_inplace(cls.staged_inplace, (f,), inplace_indices=[0], out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(g)
        return g
