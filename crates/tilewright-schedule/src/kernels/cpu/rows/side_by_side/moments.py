# A norm over channels that lie apart: moments of each image point, several channels of 24 neighbours at once.
# test: schedule
# step: b = get_block("normal")
# step: rows_side_by_side(b, 4, 2, 8, 5)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 37, 24), "float32"), W: T.Buffer((37,), "float32"), Y: T.Buffer((3, 37, 24), "float32")):
        total = T.alloc_buffer((3, 24), "float32")
        squares = T.alloc_buffer((3, 24), "float32")
        for i, j, k in T.grid(3, 24, 37):
            with T.block("total"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    total[vi, vj] = T.float32(0)
                total[vi, vj] = total[vi, vj] + X[vi, vk, vj]
        for i, j, k in T.grid(3, 24, 37):
            with T.block("squares"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    squares[vi, vj] = T.float32(0)
                squares[vi, vj] = squares[vi, vj] + (X[vi, vk, vj] - total[vi, vj] / T.float32(37)) * (X[vi, vk, vj] - total[vi, vj] / T.float32(37))
        for i, k, j in T.grid(3, 37, 24):
            with T.block("normal"):
                vi, vk, vj = T.axis.remap("SSS", [i, k, j])
                Y[vi, vk, vj] = (X[vi, vk, vj] - total[vi, vj] / T.float32(37)) / T.sqrt(squares[vi, vj] / T.float32(37) + T.float32(0.5)) * W[vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 37, 24), "float32"), W: T.Buffer((37,), "float32"), Y: T.Buffer((3, 37, 24), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(5)):
            with T.block("normal"):
                T.reads(X[0:3, 0:37, 0:24], W[0:37])
                T.writes(Y[0:3, 0:37, 0:24])
                between = T.alloc_buffer((T.int64(8),), align=64)
                drift = T.alloc_buffer((T.int64(8),), align=64)
                base = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2), T.int64(8)), align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(9) - first)
                for block in range(T.int64(2)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            between[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                        for l in T.vectorized(T.int64(4)):
                            drift[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                        for l in T.vectorized(T.int64(4)):
                            base[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                        for l in T.vectorized(T.int64(4)):
                            total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                with T.LetStmt(first % T.int64(3)) as strip:
                    vi: T.int32 = T.Cast("int32", first // T.int64(3))
                    for several, block in T.grid(T.int64(7), T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(257)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(258)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(259)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = T.float32(0.0)
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = run[T.int64(0), l] + X[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = run[T.int64(0), l] + X[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = run[T.int64(0), l] + X[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = run[T.int64(0), l] + X[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                run[T.int64(0), l] = run[T.int64(0), l] + X[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = (X[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                between[block * T.int64(4) + vector * T.int64(4) + l] = between[block * T.int64(4) + vector * T.int64(4) + l] + (run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * ((run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.Cast("float32", several * T.int64(5)) * (T.float32(5.0) / (T.Cast("float32", several * T.int64(5)) + T.float32(5.0)))))
                            for l in T.vectorized(T.int64(4)):
                                drift[block * T.int64(4) + vector * T.int64(4) + l] = drift[block * T.int64(4) + vector * T.int64(4) + l] + (run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.float32(5.0) / (T.Cast("float32", several * T.int64(5)) + T.float32(5.0)))
                            for l in T.vectorized(T.int64(4)):
                                base[block * T.int64(4) + vector * T.int64(4) + l] = T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l])
                    for one, block in T.grid(T.int64(2), T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                sum[T.int64(0), l] = (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0)) * (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0))
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                between[block * T.int64(4) + vector * T.int64(4) + l] = between[block * T.int64(4) + vector * T.int64(4) + l] + (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * ((X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) * (T.float32(1.0) / (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) + T.float32(1.0)))))
                            for l in T.vectorized(T.int64(4)):
                                drift[block * T.int64(4) + vector * T.int64(4) + l] = drift[block * T.int64(4) + vector * T.int64(4) + l] + (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.float32(1.0) / (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) + T.float32(1.0)))
                            for l in T.vectorized(T.int64(4)):
                                base[block * T.int64(4) + vector * T.int64(4) + l] = T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l])
                for row in range(count):
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] = base[block * T.int64(4) + vector * T.int64(4) + l] + drift[block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / T.sqrt((total[block * T.int64(4) + vector * T.int64(4) + l] + between[block * T.int64(4) + vector * T.int64(4) + l]) / T.float32(37.0) + T.float32(0.5))
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                between[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                            for l in T.vectorized(T.int64(4)):
                                drift[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                            for l in T.vectorized(T.int64(4)):
                                base[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    here: T.int64 = first + row
                    strip: T.int64 = here % T.int64(3)
                    vi: T.int32 = T.Cast("int32", here // T.int64(3))
                    next: T.int64 = first + row + T.int64(1)
                    strip_1: T.int64 = next % T.int64(3)
                    vi_1: T.int32 = T.Cast("int32", next // T.int64(3))
                    if row + T.int64(1) < count:
                        for several, block in T.grid(T.int64(7), T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(257)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(258)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(259)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(1))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(2))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(3))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(4))]
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(255)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(256)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(257)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(258)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(259)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.float32(0.0)
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = run[T.int64(0), l] + X[vi_1, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = run[T.int64(0), l] + X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = run[T.int64(0), l] + X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = run[T.int64(0), l] + X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = run[T.int64(0), l] + X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = (X[vi_1, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi_1, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0)) * (X[vi_1, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l] / T.float32(5.0))
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    between[block * T.int64(4) + vector * T.int64(4) + l] = between[block * T.int64(4) + vector * T.int64(4) + l] + (run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * ((run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.Cast("float32", several * T.int64(5)) * (T.float32(5.0) / (T.Cast("float32", several * T.int64(5)) + T.float32(5.0)))))
                                for l in T.vectorized(T.int64(4)):
                                    drift[block * T.int64(4) + vector * T.int64(4) + l] = drift[block * T.int64(4) + vector * T.int64(4) + l] + (run[T.int64(0), l] / T.float32(5.0) - T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.float32(5.0) / (T.Cast("float32", several * T.int64(5)) + T.float32(5.0)))
                                for l in T.vectorized(T.int64(4)):
                                    base[block * T.int64(4) + vector * T.int64(4) + l] = T.Select(several * T.int64(5) == T.int64(0), run[T.int64(0), l] / T.float32(5.0), base[block * T.int64(4) + vector * T.int64(4) + l])
                        for one, block in T.grid(T.int64(2), T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one)]
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one + T.int64(255)), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = (X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0)) * (X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0))
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    between[block * T.int64(4) + vector * T.int64(4) + l] = between[block * T.int64(4) + vector * T.int64(4) + l] + (X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * ((X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) * (T.float32(1.0) / (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) + T.float32(1.0)))))
                                for l in T.vectorized(T.int64(4)):
                                    drift[block * T.int64(4) + vector * T.int64(4) + l] = drift[block * T.int64(4) + vector * T.int64(4) + l] + (X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0) - T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l]) - drift[block * T.int64(4) + vector * T.int64(4) + l]) * (T.float32(1.0) / (T.Cast("float32", T.Mul(T.int64(7), T.int64(5)) + one) + T.float32(1.0)))
                                for l in T.vectorized(T.int64(4)):
                                    base[block * T.int64(4) + vector * T.int64(4) + l] = T.Select(T.Mul(T.int64(7), T.int64(5)) + one == T.int64(0), X[vi_1, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip_1 * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] / T.float32(1.0), base[block * T.int64(4) + vector * T.int64(4) + l])
                    else:
                        for several, block in T.grid(T.int64(7), T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(257)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(258)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(5) + T.int64(259)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(1))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(2))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(3))]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", several * T.int64(5) + T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", several * T.int64(5) + T.int64(4))]
                        for one, block in T.grid(T.int64(2), T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one + T.int64(255)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = (X[vi, T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * W[T.Cast("int32", T.Mul(T.int64(7), T.int64(5)) + one)]
