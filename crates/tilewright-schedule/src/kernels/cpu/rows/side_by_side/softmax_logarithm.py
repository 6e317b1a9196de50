# The logarithm of a softmax is made of the numbers themselves, of which there are fewer than are taken together.
# test: schedule
# step: b = get_block("shares")
# step: softmax_side_by_side(b, 4, 1, 16, 16, True)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 9, 13), "float32"), Y: T.Buffer((2, 9, 13), "float32")):
        largest = T.alloc_buffer((2, 13), "float32")
        total = T.alloc_buffer((2, 13), "float32")
        for i, h, j in T.grid(2, 13, 9):
            with T.block("largest"):
                vi, vh, vj = T.axis.remap("SSR", [i, h, j])
                with T.init():
                    largest[vi, vh] = T.float32("-inf")
                largest[vi, vh] = T.max(largest[vi, vh], X[vi, vj, vh])
        for i, h, j in T.grid(2, 13, 9):
            with T.block("total"):
                vi, vh, vj = T.axis.remap("SSR", [i, h, j])
                with T.init():
                    total[vi, vh] = T.float32(0)
                total[vi, vh] = total[vi, vh] + T.exp(X[vi, vj, vh] - largest[vi, vh])
        for i, j, h in T.grid(2, 9, 13):
            with T.block("shares"):
                vi, vj, vh = T.axis.remap("SSS", [i, j, h])
                Y[vi, vj, vh] = X[vi, vj, vh] - largest[vi, vh] - T.log(total[vi, vh])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 9, 13), "float32"), Y: T.Buffer((2, 9, 13), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("shares"):
                T.reads(X[0:2, 0:9, 0:13])
                T.writes(Y[0:2, 0:9, 0:13])
                most = T.alloc_buffer((T.int64(16),), align=64)
                total = T.alloc_buffer((T.int64(16),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2), T.int64(16)), align=64)
                for row in range(T.int64(1)):
                    vi: T.int32 = T.Cast("int32", task + row)
                    width: T.int64 = T.min(T.int64(16), T.Sub(T.int64(13), T.int64(0)))
                    for block in range(width // T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                most[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(-3.4028235e38)
                            for l in T.vectorized(T.int64(4)):
                                total[block * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.float32(-3.4028235e38)
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.float32(0.0)
                    for several in range(T.int64(0)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(128)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(129)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(130)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(131)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(132)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(133)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(134)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(135)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(136)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(137)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(138)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(139)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(140)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(141)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(142)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(143)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = T.exp(X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(128)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(129)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(130)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(131)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(132)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(133)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(134)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(135)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(136)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(137)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(138)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(139)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(140)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(141)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(142)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(143)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = T.exp(X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                    for one in range(T.int64(9)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one + T.int64(128)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = T.exp(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one + T.int64(128)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] > run[T.int64(0), l], X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = T.exp(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                    for block in range(width // T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] = T.log(total[block * T.int64(4) + vector * T.int64(4) + l])
                    for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.log(total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                    for several in range(T.int64(0)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(128)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(129)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(130)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(131)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(132)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(133)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(134)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(135)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(136)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(137)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(138)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(139)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(140)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(141)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(142)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(143)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(128)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(129)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(130)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(131)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(132)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(133)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(134)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(135)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(136)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(137)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(138)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(139)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(140)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(141)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(142)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(16) + T.int64(143)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(1)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(2)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(3)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(4)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(5)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(6)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(7)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(8)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(9)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(10)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(11)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(12)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(13)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(14)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", several * T.int64(16) + T.int64(15)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for one in range(T.int64(9)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one + T.int64(128)), T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one + T.int64(128)), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", T.Mul(T.int64(0), T.int64(16)) + one), T.Cast("int32", width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - of_row[T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
