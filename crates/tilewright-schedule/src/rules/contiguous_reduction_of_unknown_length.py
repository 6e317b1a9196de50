# A reduction that nothing begins in its own block, for it may be of nothing, goes in vectors; so does what has few results.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: rows n=0 == same
# run: rows n=1 == same
# run: rows n=77 == same
# run: whole n=0 == same
# run: whole n=1000 == same

@I.ir_module
class Module:
    @T.prim_func
    def rows(var_A: T.handle, B: T.Buffer((300,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (300, n), "float32")
        for i in range(300):
            with T.block("begin"):
                vi = T.axis.spatial(300, i)
                B[vi] = T.float32(0)
        for i, k in T.grid(300, n):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def whole(var_A: T.handle, B: T.Buffer((1,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (n,), "float32")
        for i in range(1):
            with T.block("begin"):
                vi = T.axis.spatial(1, i)
                B[vi] = T.float32(0)
        for i, k in T.grid(1, n):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = B[vi] + A[vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def rows(var_A: T.handle, B: T.Buffer((300,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (300, n), "float32")
        # with T.block("root"):
        for i in T.vectorized(300):
            with T.block("begin"):
                vi = T.axis.spatial(300, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
        for i in T.parallel(300):
            with T.block("update"):
                vi = T.axis.spatial(300, i)
                T.reads(B[vi], A[vi, T.int64(0):n])
                T.writes(B[vi])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for k_block in range((n + T.int64(31)) // T.int64(32)):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            if k_block * T.int64(32) + (u * T.int64(8) + l) < n:
                                partial[u, l] = partial[u, l] + A[vi, T.int64(0) + (k_block * T.int64(32) + (u * T.int64(8) + l))]
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(2), l]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                B[vi] = B[vi] + halves[T.int64(0)]

    @T.prim_func
    def whole(var_A: T.handle, B: T.Buffer((1,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n,), "float32")
        # with T.block("root"):
        B_rf = T.alloc_buffer((16, 1))
        for i in T.vectorized(1):
            with T.block("begin"):
                vi = T.axis.spatial(1, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
        for k_0 in T.parallel(T.int64(16)):
            for i in range(1):
                with T.block("update_rf"):
                    vk_0, vi = T.axis.remap("SS", [k_0, i])
                    T.reads(A[vk_0 * ((n + T.int64(15)) // T.int64(16)):vk_0 * ((n + T.int64(15)) // T.int64(16)) + (n + T.int64(15)) // T.int64(16)])
                    T.writes(B_rf[vk_0, vi])
                    partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local")
                    halves = T.alloc_buffer((T.int64(8),), scope="local")
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32(0.0)
                    for k_1_block in range((n + T.int64(511)) // T.int64(512)):
                        for u in T.unroll(T.int64(4)):
                            for l in T.vectorized(T.int64(8)):
                                if k_1_block * T.int64(32) + (u * T.int64(8) + l) < (n + T.int64(15)) // T.int64(16):
                                    if vk_0 * ((n + T.int64(15)) // T.int64(16)) + (T.int64(0) + (k_1_block * T.int64(32) + (u * T.int64(8) + l))) < n:
                                        partial[u, l] = partial[u, l] + A[vk_0 * ((n + T.int64(15)) // T.int64(16)) + (T.int64(0) + (k_1_block * T.int64(32) + (u * T.int64(8) + l)))]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    B_rf[vk_0, vi] = halves[T.int64(0)]
        for i in range(1):
            with T.block("update"):
                vi = T.axis.spatial(1, i)
                T.reads(B[vi], B_rf[0:16, vi])
                T.writes(B[vi])
                partial = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for k_0_block in range(T.int64(2)):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + B_rf[T.int64(0) + (k_0_block * T.int64(8) + (u * T.int64(8) + l)), vi]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                B[vi] = B[vi] + halves[T.int64(0)]
