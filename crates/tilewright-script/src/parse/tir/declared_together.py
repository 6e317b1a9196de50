# Names may be bound together, intrinsics say their type, and strides have names, as the scripts of 2022 have it.
# test: print
# run: main n=3 m=4 == same
# run: swap == same
# run: blocks == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n, m = T.int64(), T.var("int64")
        A, B = T.match_buffer(a, (n, m)), T.match_buffer(b, (n, m))
        for i, j in T.grid(n, m):
            B[i, j] = T.if_then_else(j < T.int64(1), T.exp(A[i, j], dtype="float32"), T.max(A[i, j], 0.0, dtype="float32"), dtype="float32")

    @T.prim_func
    def swap(A: T.Buffer((8,), "float32")):
        for i in range(4):
            x, y = A[i], A[7 - i]
            p, q = y, x
            A[i] = p
            A[7 - i] = q

    @T.prim_func
    def blocks(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(2, 2):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                X = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=["s", "t"], offset_factor=1)
                Y = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=["u", 1], offset_factor=1)
                for x, y in T.grid(4, 4):
                    Y[x, y] = X[y, x] + 1.0

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def blocks(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        # with T.block("root"):
        for i, j in T.grid(2, 2):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                s = T.int32()
                t = T.int32()
                X = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=[s, t], offset_factor=1)
                u = T.int32()
                Y = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), strides=[u, 1], offset_factor=1)
                for x, y in T.grid(4, 4):
                    Y[x, y] = X[y, x] + T.float32(1.0)

    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n, m))
        for i, j in T.grid(n, m):
            B[i, j] = T.if_then_else(j < T.int64(1), T.exp(A[i, j]), T.max(A[i, j], T.float32(0.0)))

    @T.prim_func
    def swap(A: T.Buffer((8,), "float32")):
        for i in range(4):
            x: T.float32 = A[i]
            y: T.float32 = A[7 - i]
            p: T.float32 = y
            q: T.float32 = x
            A[i] = p
            A[7 - i] = q
