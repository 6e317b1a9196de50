# The logarithm of a softmax is made of the numbers themselves.
# test: schedule
# step: b = get_block("shares")
# step: softmax_by_pieces(b, 4, 2, 1, 16, True)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 33), "float32"), Y: T.Buffer((4, 33), "float32")):
        largest = T.alloc_buffer((4,), "float32")
        total = T.alloc_buffer((4,), "float32")
        for i, j in T.grid(4, 33):
            with T.block("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vj])
        for i, j in T.grid(4, 33):
            with T.block("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vj] - largest[vi])
        for i, j in T.grid(4, 33):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] - largest[vi] - T.log(total[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 33), "float32"), Y: T.Buffer((4, 33), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(4)):
            with T.block("shares"):
                T.reads(X[0:4, 0:33])
                T.writes(Y[0:4, 0:33])
                runs = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                most[T.int64(0)] = T.float32(-3.4028235e38)
                with T.LetStmt(T.Cast("int32", task)) as vi:
                    for piece in range(T.int64(2)):
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.Select(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] > runs[vector, l], X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))], runs[vector, l])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        run: T.float32 = halves[T.int64(0)]
                        rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * rescale
                        most[T.int64(0)] = run
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    sums[vector, l] = sums[vector, l] + T.exp(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - run)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = most[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(0) + l < T.int64(1):
                            runs[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] > runs[T.int64(0), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))], runs[T.int64(0), l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    run: T.float32 = halves[T.int64(0)]
                    rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] * rescale
                    most[T.int64(0)] = run
                    T.evaluate(T.prefetch(T.address_of(X[vi, 33]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(0) + l < T.int64(1):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - run)
                for row in range(T.int64(1)):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    with T.LetStmt(most[T.int64(0)]) as largest:
                        total: T.float32 = halves[T.int64(0)]
                        of_row[T.int64(0)] = largest
                        of_row[T.int64(1)] = T.log(total)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    most[T.int64(0)] = T.float32(-3.4028235e38)
                    vi: T.int32 = T.Cast("int32", task + row)
                    for piece, block in T.grid(T.int64(2), T.int64(2)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] = X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - of_row[T.int64(0)] - of_row[T.int64(1)]
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(0) + l < T.int64(1):
                            Y[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] = X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - of_row[T.int64(0)] - of_row[T.int64(1)]
