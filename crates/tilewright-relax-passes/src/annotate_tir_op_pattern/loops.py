# Indices decide: a window and a stencil read several elements, a start in a stage of its own belongs to its reduction,
# loaded indices only read; writing where data says so and sums into an argument are opaque. What a function says of itself
# stays.
# test: opt --pass AnnotateTIROpPattern
# run: window == same
# run: split_reduction == same
# run: two_readers == same


@I.ir_module
class Module:
    @T.prim_func
    def window(A: T.Buffer((9,), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 3):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = T.max(B[vi], A[vi * 2 + vk])

    @T.prim_func
    def stencil(A: T.Buffer((6,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + A[vi + 2]

    @T.prim_func
    def choice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.if_then_else(vi < 2, A[vi + 2], A[vi - 2])

    @T.prim_func
    def diagonal(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi, vi]

    @T.prim_func
    def gather(A: T.Buffer((8,), "float32"), at: T.Buffer((4,), "int32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[at[vi]]

    @T.prim_func
    def unit_axis(A: T.Buffer((4, 1), "float32"), B: T.Buffer((4, 1), "float32")):
        for i, j in T.grid(4, 1):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, 0] + T.float32(1)

    @T.prim_func
    def outer(A: T.Buffer((4,), "float32"), C: T.Buffer((3,), "float32"), B: T.Buffer((4, 3), "float32")):
        for i, j in T.grid(4, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi] * C[vj]

    @T.prim_func
    def split_reduction(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("start"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.float32(0)
        for i, k in T.grid(4, 3):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def into_argument(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 3):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def dot(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
        for i, k in T.grid(1, 4):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vk] * C[vk]

    @T.prim_func
    def scaled_sum(A: T.Buffer((4, 3), "float32"), s: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 3):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk] * s[vi]

    @T.prim_func
    def two_readers(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4, 3), "float32")):
        total = T.alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 3):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + A[vi, vk]
        for i, j in T.grid(4, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] - total[vi]

    @T.prim_func
    def scatter(A: T.Buffer((4,), "float32"), at: T.Buffer((4,), "int32"), B: T.Buffer((8,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.opaque(4, i)
                B[at[vi]] = A[vi]

    @T.prim_func
    def one_half(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]

    @T.prim_func
    def in_place(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi] * T.float32(2)

    @T.prim_func
    def neighbours(A: T.Buffer((4,), "float32")):
        for i in range(3):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi + 1]

    @T.prim_func
    def said(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def choice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 2})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi - 2:vi - 2 + 5])
                T.writes(B[vi])
                B[vi] = T.if_then_else(vi < 2, A[vi + 2], A[vi - 2])

    @T.prim_func
    def diagonal(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 2})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi, vi])
                T.writes(B[vi])
                B[vi] = A[vi, vi]

    @T.prim_func
    def dot(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        for i, k in T.grid(1, 4):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vk], C[vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vk] * C[vk]

    @T.prim_func
    def gather(A: T.Buffer((8,), "float32"), at: T.Buffer((4,), "int32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 2})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[0:8], at[vi])
                T.writes(B[vi])
                B[vi] = A[at[vi]]

    @T.prim_func
    def in_place(A: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(A[vi])
                A[vi] = A[vi] * T.float32(2.0)

    @T.prim_func
    def into_argument(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i, k in T.grid(4, 3):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(B[vi], A[vi, vk])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def neighbours(A: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(3):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi + 1])
                T.writes(A[vi])
                A[vi] = A[vi + 1]

    @T.prim_func
    def one_half(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi]

    @T.prim_func
    def outer(A: T.Buffer((4,), "float32"), C: T.Buffer((3,), "float32"), B: T.Buffer((4, 3), "float32")):
        T.func_attr({"op_pattern": 1})
        # with T.block("root"):
        for i, j in T.grid(4, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi], C[vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi] * C[vj]

    @T.prim_func
    def said(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi]

    @T.prim_func
    def scaled_sum(A: T.Buffer((4, 3), "float32"), s: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 3})
        # with T.block("root"):
        for i, k in T.grid(4, 3):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], s[vi])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vi, vk] * s[vi]

    @T.prim_func
    def scatter(A: T.Buffer((4,), "float32"), at: T.Buffer((4,), "int32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 8})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.opaque(4, i)
                T.reads(A[vi], at[vi])
                T.writes(B[0:8])
                B[at[vi]] = A[vi]

    @T.prim_func
    def split_reduction(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 3})
        # with T.block("root"):
        for i in range(4):
            with T.block("start"):
                vi = T.axis.spatial(4, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
        for i, k in T.grid(4, 3):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(B[vi], A[vi, vk])
                T.writes(B[vi])
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def stencil(A: T.Buffer((6,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi:vi + 3])
                T.writes(B[vi])
                B[vi] = A[vi] + A[vi + 2]

    @T.prim_func
    def two_readers(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4, 3), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        total = T.alloc_buffer((4,))
        for i, k in T.grid(4, 3):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(total[vi])
                with T.init():
                    total[vi] = T.float32(0.0)
                total[vi] = total[vi] + A[vi, vk]
        for i, j in T.grid(4, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], total[vi])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] - total[vi]

    @T.prim_func
    def unit_axis(A: T.Buffer((4, 1), "float32"), B: T.Buffer((4, 1), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i, j in T.grid(4, 1):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, 0])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, 0] + T.float32(1.0)

    @T.prim_func
    def window(A: T.Buffer((9,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 4})
        # with T.block("root"):
        for i, k in T.grid(4, 3):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi * 2 + vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = T.max(B[vi], A[vi * 2 + vk])
