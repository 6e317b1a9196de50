# A guard on a tile's rows leaves the loop over tiles: whole tiles, then the one that is cut.
# test: opt --pass partition_loops --pass simplify
# run: f n=14 == same
# run: f n=3 == same
# run: f n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n, 3), "float32")
        B = T.match_buffer(b, (n, 3), "float32")
        for tile in range((n + 3) // 4):
            for j in range(3):
                for i in T.unroll(T.int64(4)):
                    if tile * 4 + i < n:
                        B[tile * 4 + i, j] = A[tile * 4 + i, j] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n, 3), "float32")
        B = T.match_buffer(b, (n, 3), "float32")
        for tile, j in T.grid(n // T.int64(4), 3):
            for i in T.unroll(T.int64(4)):
                B[tile * T.int64(4) + i, j] = A[tile * T.int64(4) + i, j] + T.float32(1.0)
        for tile in range(n // T.int64(4), n // T.int64(4) + ((n + T.int64(3)) // T.int64(4) - n // T.int64(4))):
            for j in range(3):
                for i in T.unroll(T.int64(4)):
                    if tile * T.int64(4) + i < n:
                        B[tile * T.int64(4) + i, j] = A[tile * T.int64(4) + i, j] + T.float32(1.0)
