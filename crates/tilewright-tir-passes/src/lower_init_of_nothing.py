# A reduction over nothing is its init, wherever the loops of the reduction are.
# test: opt --pass lower_init
# run: inside == same
# run: outside n=0 == same
# run: outside n=3 == same
# run: between == same
# run: apart n=0 == same
# run: apart n=1 == same
# run: apart n=6 == same

@I.ir_module
class Module:
    @T.prim_func
    def inside(A: T.Buffer((4, 0), "float32"), B: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 0):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def outside(a: T.handle, B: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (4, n), "float32")
        for k, i in T.grid(n, 4):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def between(A: T.Buffer((2, 0, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, k, j in T.grid(2, 0, 3):
            with T.block("sum"):
                vi, vk, vj = T.axis.remap("SRS", [i, k, j])
                with T.init():
                    B[vi, vj] = T.float32(1)
                B[vi, vj] = B[vi, vj] * A[vi, vk, vj]

    @T.prim_func
    def apart(a: T.handle, B: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (4, n), "float32")
        C = T.alloc_buffer((4,), "float32")
        for k_0 in range((n + 3) // 4):
            for i in range(4):
                with T.block("other"):
                    vi = T.axis.spatial(4, i)
                    C[vi] = T.Cast("float32", vi)
            for i, k_1 in T.grid(4, 4):
                with T.block("sum"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(n, k_0 * 4 + k_1)
                    T.where(k_0 * 4 + k_1 < n)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk] * C[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def apart(a: T.handle, B: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (4, n), "float32")
        # with T.block("root"):
        C = T.alloc_buffer((4,))
        if (n + T.int64(3)) // T.int64(4) <= T.int64(0):
            for i in range(4):
                with T.block("sum_init"):
                    vi = T.axis.spatial(4, i)
                    T.reads()
                    T.writes(B[vi])
                    B[vi] = T.float32(0.0)
        for k_0 in range((n + T.int64(3)) // T.int64(4)):
            for i in range(4):
                with T.block("other"):
                    vi = T.axis.spatial(4, i)
                    T.reads()
                    T.writes(C[vi])
                    C[vi] = T.Cast("float32", vi)
            for i, k_1 in T.grid(4, 4):
                with T.block("sum"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(n, k_0 * T.int64(4) + T.Cast("int64", k_1))
                    T.where(k_0 * T.int64(4) + T.Cast("int64", k_1) < n)
                    T.reads(A[vi, vk], C[vi], B[vi])
                    T.writes(B[vi])
                    if vk == T.int64(0):
                        B[vi] = T.float32(0.0)
                    B[vi] = B[vi] + A[vi, vk] * C[vi]

    @T.prim_func
    def between(A: T.Buffer((2, 0, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        for i in range(2):
            if T.LE(0, 0):
                for j in range(3):
                    with T.block("sum_init"):
                        vi, vj = T.axis.remap("SS", [i, j])
                        T.reads()
                        T.writes(B[vi, vj])
                        B[vi, vj] = T.float32(1.0)
            for k, j in T.grid(0, 3):
                with T.block("sum"):
                    vi, vk, vj = T.axis.remap("SRS", [i, k, j])
                    T.reads(A[vi, vk, vj], B[vi, vj])
                    T.writes(B[vi, vj])
                    if vk == 0:
                        B[vi, vj] = T.float32(1.0)
                    B[vi, vj] = B[vi, vj] * A[vi, vk, vj]

    @T.prim_func
    def inside(A: T.Buffer((4, 0), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("sum_init"):
                vi = T.axis.spatial(4, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
            for k in range(0):
                with T.block("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.reads(A[vi, vk], B[vi])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def outside(a: T.handle, B: T.Buffer((4,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (4, n), "float32")
        # with T.block("root"):
        if n <= T.int64(0):
            for i in range(4):
                with T.block("sum_init"):
                    vi = T.axis.spatial(4, i)
                    T.reads()
                    T.writes(B[vi])
                    B[vi] = T.float32(0.0)
        for k, i in T.grid(n, 4):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], B[vi])
                T.writes(B[vi])
                if vk == T.int64(0):
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vi, vk]
