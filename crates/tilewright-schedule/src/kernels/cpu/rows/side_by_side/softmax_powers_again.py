# Strips are even, and exponentials are recomputed, of elements that are read under a condition.
# test: schedule
# step: b = get_block("shares")
# step: rows_side_by_side(b, 4, 1, 8, 4)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((6, 16), "float32"), Z: T.Buffer((6, 16), "float32"), Y: T.Buffer((6, 16), "float32")):
        largest = T.alloc_buffer((16,), "float32")
        total = T.alloc_buffer((16,), "float32")
        for j, i in T.grid(16, 6):
            with T.block("largest"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    largest[vj] = T.float32(-3.4028234663852886e+38)
                largest[vj] = T.max(largest[vj], T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)))
        for j, i in T.grid(16, 6):
            with T.block("total"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    total[vj] = T.float32(0)
                total[vj] = total[vj] + T.exp(T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)) - largest[vj])
        for i, j in T.grid(6, 16):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)) - largest[vj]) / total[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((6, 16), "float32"), Z: T.Buffer((6, 16), "float32"), Y: T.Buffer((6, 16), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("shares"):
                T.reads(Z[0:6, 0:16], X[0:6, 0:16])
                T.writes(Y[0:6, 0:16])
                most = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                last = T.alloc_buffer((T.int64(8),), align=64)
                of_row = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                for block in range(T.int64(2)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            most[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(-3.4028235e38)
                        for l in T.vectorized(T.int64(4)):
                            total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                for several, block in T.grid(T.int64(1), T.int64(2)):
                    for vector in T.unroll(T.int64(1)):
                        T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(256)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(256)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(257)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(257)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(258)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(258)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(259)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(259)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = T.Select(T.if_then_else(Z[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > run[T.int64(0), l], T.if_then_else(Z[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = T.Select(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > run[T.int64(0), l], T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = T.Select(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > run[T.int64(0), l], T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = T.Select(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > run[T.int64(0), l], T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            sum[T.int64(0), l] = T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                        for l in T.vectorized(T.int64(4)):
                            most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                for one, block in T.grid(T.int64(2), T.int64(2)):
                    for vector in T.unroll(T.int64(1)):
                        T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one + T.int64(256)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one + T.int64(256)), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                        for l in T.vectorized(T.int64(4)):
                            run[T.int64(0), l] = T.Select(T.if_then_else(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > run[T.int64(0), l], T.if_then_else(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            sum[T.int64(0), l] = T.exp(T.if_then_else(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", task * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - run[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                        for l in T.vectorized(T.int64(4)):
                            most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                for row in range(T.int64(1)):
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / total[block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                last[block * T.int64(4) + vector * T.int64(4) + l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                most[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(-3.4028235e38)
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    strip: T.int64 = task + row
                    for several, block in T.grid(T.int64(1), T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(257)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(257)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(258)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(258)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", several * T.int64(4) + T.int64(259)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", several * T.int64(4) + T.int64(259)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                Y[T.Cast("int32", several * T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                Y[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(1)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                Y[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(2)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                Y[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = T.exp(T.if_then_else(Z[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", several * T.int64(4) + T.int64(3)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                    for one, block in T.grid(T.int64(2), T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one + T.int64(256)), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                Y[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] = T.exp(T.if_then_else(Z[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[T.Cast("int32", T.Mul(T.int64(1), T.int64(4)) + one), T.Cast("int32", strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
