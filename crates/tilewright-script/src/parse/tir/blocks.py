# All statements at the top of a block, and axes of every kind.
# test: print
# run: f == same
# run: scan == same
# run: match == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8, 6), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, k in T.grid(8, 6):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                T.block_attr({"schedule_rule": "none", "tiles": [4, 2]})
                with T.init():
                    B[vi] = 0.0
                B[vi] = B[vi] + A[vi, vk]
        for io, ii, j in T.grid(3, 3, 6):
            with T.block("where"):
                vi = T.axis.S(8, io * 3 + ii)
                vj = T.axis.spatial((0, 6), j)
                T.where(io * 3 + ii < 8)
                T.reads([A[vi, vj], B[vi]])
                T.writes(C[vi, 0:6])
                C[vi, vj] = A[vi, vj] - B[vi]
        for i in range(2, 6):
            with T.block("part"):
                vi = T.axis.spatial((2, 6), i)
                local = T.alloc_buffer((6,), scope="local")
                for j in range(6):
                    with T.block("inner"):
                        vj = T.axis.O(6, j)
                        local[vj] = A[vi, vj]
                for j in range(6):
                    with T.block("outer"):
                        vj = T.axis.opaque(6, j)
                        C[vi, vj] = local[5 - vj]

    @T.prim_func
    def scan(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(8):
            with T.block("scan"):
                vi = T.axis.scan(8, i)
                B[vi] = A[vi] + T.if_then_else(vi > 0, B[vi - 1], T.float32(0))

    @T.prim_func
    def match(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        with T.block("root"):
            T.reads()
            T.writes()
            for i, j in T.grid(2, 4):
                with T.block("tile"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2])
                    T.writes(B[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2])
                    sa = T.int32()
                    sb = T.int32()
                    tile = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2], (4, 2), "float32", strides=[sa, 1], offset_factor=1)
                    out = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2], (4, 2), "float32", strides=[sb, 1], offset_factor=1)
                    for y, x in T.grid(4, 2):
                        out[y, x] = tile[3 - y, x]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, k in T.grid(8, 6):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                T.block_attr({"schedule_rule": "none", "tiles": [4, 2]})
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vi, vk]
        for io, ii, j in T.grid(3, 3, 6):
            with T.block("where"):
                vi = T.axis.spatial(8, io * 3 + ii)
                vj = T.axis.spatial(6, j)
                T.where(io * 3 + ii < 8)
                T.reads(A[vi, vj], B[vi])
                T.writes(C[vi, 0:6])
                C[vi, vj] = A[vi, vj] - B[vi]
        for i in range(2, 6):
            with T.block("part"):
                vi = T.axis.spatial((2, 6), i)
                T.reads(A[vi, 0:6])
                T.writes(C[vi, 0:6])
                local = T.alloc_buffer((6,), scope="local")
                for j in range(6):
                    with T.block("inner"):
                        vj = T.axis.opaque(6, j)
                        T.reads(A[vi, vj])
                        T.writes(local[vj])
                        local[vj] = A[vi, vj]
                for j in range(6):
                    with T.block("outer"):
                        vj = T.axis.opaque(6, j)
                        T.reads(local[5 - vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = local[5 - vj]

    @T.prim_func
    def match(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j in T.grid(2, 4):
            with T.block("tile"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2])
                T.writes(B[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2])
                sa = T.int32()
                tile = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2], (4, 2), strides=[sa, 1], offset_factor=1)
                sb = T.int32()
                out = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 2:vj * 2 + 2], (4, 2), strides=[sb, 1], offset_factor=1)
                for y, x in T.grid(4, 2):
                    out[y, x] = tile[3 - y, x]

    @T.prim_func
    def scan(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(8):
            with T.block("scan"):
                vi = T.axis.scan(8, i)
                T.reads(A[vi], B[vi - 1])
                T.writes(B[vi])
                B[vi] = A[vi] + T.if_then_else(vi > 0, B[vi - 1], T.float32(0.0))
