# A handle that the body mentions has a name of its own, besides the one of its buffer, which means the memory; the
# dimensions of a PrimFunc are those of a graph in its type; two buffers on one memory stay that.
# test: print

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.Buffer((3,), "int64"), c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, n // 2), "int64")
        C = T.match_buffer(c, (3,), "int64")
        for i in T.serial(3, annotations={"x": a}):
            with T.block("k"):
                vi = T.axis.spatial(3, i)
                T.block_attr({"owner": c, "memory": b.data})
                b[vi] = A[vi, vi] + C[vi]

    @T.prim_func
    def g(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (3,), "int64")
        B = T.match_buffer(b, (3,), "int64")
        T.evaluate(T.call_extern("int32", "f", a, A.data))
        B[0] = A[0]

    @T.prim_func
    def shared(a: T.handle, b: T.handle):
        memory = T.handle()
        A = T.match_buffer(a, (4, 4), "float32", data=memory)
        B = T.match_buffer(b, (16,), "float32", data=memory)
        B[0] = A[1, 1]

    @T.prim_func
    def at_another(a: T.handle, b: T.handle, c: T.handle):
        A = T.match_buffer(a, (4,), "float32")
        B = T.match_buffer(b, (4,), "float32", data=a)
        C = T.match_buffer(c, (4,), "float32")
        B[0] = A[1] + C[0]

    @R.function
    def h() -> R.Callable((R.Tensor(("n", "n // 2"), "int64"), R.Tensor((3,), "int64"), R.Tensor((3,), "int64")), R.Tuple(), False):
        return Module.f

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def at_another(a: T.handle, b: T.handle, C: T.Buffer((4,), "float32")):
        A = T.match_buffer(a, (4,))
        B = T.match_buffer(b, (4,), data=a)
        B[0] = A[1] + C[0]

    @T.prim_func
    def f(a: T.handle, b: T.Buffer((3,), "int64"), c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, n // 2), "int64")
        C = T.match_buffer(c, (3,), "int64")
        # with T.block("root"):
        for i in T.serial(3, annotations={"x": a}):
            with T.block("k"):
                vi = T.axis.spatial(3, i)
                T.reads(A[vi, vi], C[vi])
                T.writes(b[vi])
                T.block_attr({"memory": b.data, "owner": c})
                b[vi] = A[vi, vi] + C[vi]

    @T.prim_func
    def g(a: T.handle, B: T.Buffer((3,), "int64")):
        A = T.match_buffer(a, (3,), "int64")
        T.call_extern("int32", "f", a, T.address_of(A[0]))
        B[0] = A[0]

    @T.prim_func
    def shared(A: T.Buffer((4, 4), "float32"), b: T.handle):
        B = T.match_buffer(b, (16,), data=A.data)
        B[0] = A[1, 1]

    @R.function
    def h() -> R.Callable((R.Tensor(("n", "n // 2"), dtype="int64"), R.Tensor((3,), dtype="int64"), R.Tensor((3,), dtype="int64")), R.Tuple(), False):
        cls = Module
        return cls.f
