# A softmax of few rows divides once a row: its elements are multiplied by the reciprocal of the sum.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 65), "float32"), Y: T.Buffer((4, 65), "float32")):
        largest = T.alloc_buffer((4, 1), "float32")
        powers = T.alloc_buffer((4, 65), "float32")
        total = T.alloc_buffer((4, 1), "float32")
        for i, u, k in T.grid(4, 1, 65):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    largest[vi, vu] = T.float32("-inf")
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(4, 65):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(4, 1, 65):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for i, j in T.grid(4, 65):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = powers[vi, vj] / total[vi, 0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 65), "float32"), Y: T.Buffer((4, 65), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        largest = T.alloc_buffer((4, 1), scope="local")
        powers = T.alloc_buffer((4, 65))
        total = T.alloc_buffer((4, 1), scope="local")
        total_reciprocal = T.alloc_buffer((4, 1), scope="local")
        for i in range(4):
            with T.block("largest"):
                vi = T.axis.spatial(4, i)
                vu = T.axis.spatial(1, 0)
                T.reads(X[vi, 0:65])
                T.writes(largest[vi, vu])
                partial = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32("-inf")
                for ax2_block in range(5):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            if ax2_block * 16 + T.Cast("int32", u * T.int64(8) + l) < 65:
                                partial[u, l] = T.max(partial[u, l], X[vi, 0 + (ax2_block * 16 + T.Cast("int32", u * T.int64(8) + l))])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.max(partial[u, l], partial[u + T.int64(1), l])
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(4)])
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                largest[vi, vu] = halves[T.int64(0)]
            for ax1 in T.vectorized(65):
                with T.block("powers"):
                    vi, vj = T.axis.remap("SS", [i, ax1])
                    T.reads(X[vi, vj], largest[vi, 0])
                    T.writes(powers[vi, vj])
                    powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
            with T.block("total"):
                vi = T.axis.spatial(4, i)
                vu = T.axis.spatial(1, 0)
                T.reads(powers[vi, 0:65])
                T.writes(total[vi, vu])
                partial = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for ax2_block in range(5):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            if ax2_block * 16 + T.Cast("int32", u * T.int64(8) + l) < 65:
                                partial[u, l] = partial[u, l] + powers[vi, 0 + (ax2_block * 16 + T.Cast("int32", u * T.int64(8) + l))]
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
                total[vi, vu] = halves[T.int64(0)]
            with T.block("total_reciprocal"):
                v0 = T.axis.spatial(4, i)
                v1 = T.axis.spatial(1, 0)
                T.reads(total[v0, v1])
                T.writes(total_reciprocal[v0, v1])
                total_reciprocal[v0, v1] = T.float32(1.0) / total[v0, v1]
            for j in T.vectorized(65):
                with T.block("shares"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(powers[vi, vj], total_reciprocal[vi, 0])
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = powers[vi, vj] * total_reciprocal[vi, 0]
