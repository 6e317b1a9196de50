# Sums of squares of rows side by side; the last strip has fewer rows, and the length of a row is not known.
# test: schedule
# step: b = get_block("normal")
# step: rows_side_by_side(b, 4, 1, 8, 4)
# run: main n=0 == same
# run: main n=1 == same
# run: main n=11 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 13), "float32")
        Y = T.match_buffer(var_Y, (n, 13), "float32")
        total = T.alloc_buffer((13,), "float32")
        for j, k in T.grid(13, n):
            with T.block("total"):
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    total[vj] = T.float32(0)
                total[vj] = total[vj] + X[vk, vj] * X[vk, vj]
        for k, j in T.grid(n, 13):
            with T.block("normal"):
                vk, vj = T.axis.remap("SS", [k, j])
                Y[vk, vj] = X[vk, vj] / T.sqrt(total[vj] + T.float32(1))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 13), "float32")
        Y = T.match_buffer(var_Y, (n, 13), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("normal"):
                T.reads(X[T.int64(0):n, 0:13])
                T.writes(Y[T.int64(0):n, 0:13])
                total = T.alloc_buffer((T.int64(8),), align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                for row in range(T.int64(1)):
                    strip: T.int64 = task + row
                    width: T.int64 = T.min(T.int64(8), T.int64(13) - strip * T.int64(8))
                    for block in range(width // T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    for several in range(n // T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(256), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(257), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(258), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(259), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(256), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(257), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(258), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(259), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                    for one in range(n % T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[n // T.int64(4) * T.int64(4) + one + T.int64(256), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[n // T.int64(4) * T.int64(4) + one + T.int64(256), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                    for block in range(width // T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / T.sqrt(total[block * T.int64(4) + vector * T.int64(4) + l] + T.float32(1.0))
                    for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / T.sqrt(total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] + T.float32(1.0))
                    for several in range(n // T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(256), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(257), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(258), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(259), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(256), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(257), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(258), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[several * T.int64(4) + T.int64(259), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(1), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(2), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[several * T.int64(4) + T.int64(3), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for one in range(n % T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[n // T.int64(4) * T.int64(4) + one + T.int64(256), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[n // T.int64(4) * T.int64(4) + one + T.int64(256), T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[n // T.int64(4) * T.int64(4) + one, T.Cast("int32", strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
