# A norm divides once a row, by a root of its variance; a division by what belongs to the columns stays one for each element,
# and each sum is computed once.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: by_rows == same
# run: by_rows special == same
# run: by_columns == same

@I.ir_module
class Module:
    @T.prim_func
    def by_rows(X: T.Buffer((6, 40), "float32"), W: T.Buffer((40,), "float32"), Y: T.Buffer((6, 40), "float32")):
        squares = T.alloc_buffer((6, 1), "float32")
        variance = T.alloc_buffer((6, 1), "float32")
        for i, u, k in T.grid(6, 1, 40):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for i, u in T.grid(6, 1):
            with T.block("variance"):
                vi, vu = T.axis.remap("SS", [i, u])
                variance[vi, vu] = squares[vi, vu] / T.float32(40)
        for i, j in T.grid(6, 40):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] / T.sqrt(variance[vi, 0] + T.float32(0.5)) * W[vj]

    @T.prim_func
    def by_columns(X: T.Buffer((6, 40), "float32"), V: T.Buffer((40,), "float32"), Y: T.Buffer((6, 40), "float32")):
        total = T.alloc_buffer((6, 1), "float32")
        for i, u, k in T.grid(6, 1, 40):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + X[vi, vk]
        for i, j in T.grid(6, 40):
            with T.block("centred"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = (X[vi, vj] - total[vi, 0]) / T.sqrt(T.max(V[vj], T.float32(0)) + T.float32(0.5))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def by_columns(X: T.Buffer((6, 40), "float32"), V: T.Buffer((40,), "float32"), Y: T.Buffer((6, 40), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        total = T.alloc_buffer((6, 1), scope="local")
        for i in range(6):
            with T.block("total"):
                vi = T.axis.spatial(6, i)
                vu = T.axis.spatial(1, 0)
                T.reads(X[vi, 0:40])
                T.writes(total[vi, vu])
                partial = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for ax2_block in range(5):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + X[vi, 0 + (ax2_block * 8 + T.Cast("int32", u * T.int64(8) + l))]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                total[vi, vu] = halves[T.int64(0)]
            for j in T.vectorized(40):
                with T.block("centred"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(X[vi, vj], total[vi, 0], V[vj])
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = (X[vi, vj] - total[vi, 0]) / T.sqrt(T.max(V[vj], T.float32(0.0)) + T.float32(0.5))

    @T.prim_func
    def by_rows(X: T.Buffer((6, 40), "float32"), W: T.Buffer((40,), "float32"), Y: T.Buffer((6, 40), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        squares = T.alloc_buffer((6, 1), scope="local")
        variance = T.alloc_buffer((6, 1), scope="local")
        variance_reciprocal = T.alloc_buffer((6, 1), scope="local")
        for i in range(6):
            with T.block("squares"):
                vi = T.axis.spatial(6, i)
                vu = T.axis.spatial(1, 0)
                T.reads(X[vi, 0:40])
                T.writes(squares[vi, vu])
                partial = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for ax2_block in range(5):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + X[vi, 0 + (ax2_block * 8 + T.Cast("int32", u * T.int64(8) + l))] * X[vi, 0 + (ax2_block * 8 + T.Cast("int32", u * T.int64(8) + l))]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                squares[vi, vu] = halves[T.int64(0)]
            with T.block("variance"):
                vi = T.axis.spatial(6, i)
                vu = T.axis.spatial(1, 0)
                T.reads(squares[vi, vu])
                T.writes(variance[vi, vu])
                variance[vi, vu] = squares[vi, vu] / T.float32(40.0)
            with T.block("variance_reciprocal"):
                v0 = T.axis.spatial(6, i)
                v1 = T.axis.spatial(1, 0)
                T.reads(variance[v0, v1])
                T.writes(variance_reciprocal[v0, v1])
                variance_reciprocal[v0, v1] = T.float32(1.0) / T.sqrt(variance[v0, v1] + T.float32(0.5))
            for j in T.vectorized(40):
                with T.block("normal"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(X[vi, vj], variance_reciprocal[vi, 0], W[vj])
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = X[vi, vj] * variance_reciprocal[vi, 0] * W[vj]
