# Axes after the reduced one are fused where they are contiguous; the last strip is smaller, and the last steps run alone.
# test: schedule
# step: b = get_block("shares")
# step: rows_side_by_side(b, 4, 2, 8, 8, True)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 19, 2, 11), "float32"), Y: T.Buffer((3, 19, 2, 11), "float32")):
        largest = T.alloc_buffer((3, 2, 11), "float32")
        total = T.alloc_buffer((3, 2, 11), "float32")
        for i, h, w, j in T.grid(3, 2, 11, 19):
            with T.block("largest"):
                vi, vh, vw, vj = T.axis.remap("SSSR", [i, h, w, j])
                with T.init():
                    largest[vi, vh, vw] = T.float32("-inf")
                largest[vi, vh, vw] = T.max(largest[vi, vh, vw], X[vi, vj, vh, vw])
        for i, h, w, j in T.grid(3, 2, 11, 19):
            with T.block("total"):
                vi, vh, vw, vj = T.axis.remap("SSSR", [i, h, w, j])
                with T.init():
                    total[vi, vh, vw] = T.float32(0)
                total[vi, vh, vw] = total[vi, vh, vw] + T.exp(X[vi, vj, vh, vw] - largest[vi, vh, vw])
        for i, j, h, w in T.grid(3, 19, 2, 11):
            with T.block("shares"):
                vi, vj, vh, vw = T.axis.remap("SSSS", [i, j, h, w])
                Y[vi, vj, vh, vw] = T.exp(X[vi, vj, vh, vw] - largest[vi, vh, vw]) / total[vi, vh, vw]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 19, 2, 11), "float32"), Y: T.Buffer((3, 19, 2, 11), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(5)):
            with T.block("shares"):
                T.reads(X[0:3, 0:19, 0:2, 0:11])
                T.writes(Y[0:3, 0:19, 0:2, 0:11])
                most = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(19), T.int64(8)), align=64)
                kept_from = T.alloc_buffer((T.int64(5), T.int64(8)), align=64)
                last = T.alloc_buffer((T.int64(8),), align=64)
                of_row = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                scale = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(9) - first)
                for row in range(count):
                    here: T.int64 = first + row
                    strip: T.int64 = here % T.int64(3)
                    vi: T.int32 = T.Cast("int32", here // T.int64(3))
                    width: T.int64 = T.min(T.int64(8), T.int64(22) - strip * T.int64(8))
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
                    for several in range(T.int64(2)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(256)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(257)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(258)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(259)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(260)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(261)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(262)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(263)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = kept[several * T.int64(8), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(1), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(2), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(3), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(3), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(4), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(4), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(5), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(5), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(6), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(6), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    kept[several * T.int64(8) + T.int64(7), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(7), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    kept_from[several, block * T.int64(4) + vector * T.int64(4) + l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(256)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(257)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(258)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(259)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(260)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(261)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(262)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(263)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = kept[several * T.int64(8), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(2), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(2), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(3), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(3), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(4), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(4), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(5), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(5), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(6), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(6), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[several * T.int64(8) + T.int64(7), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(8) + T.int64(7), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept_from[several, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for one in range(T.int64(3)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one + T.int64(256)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    kept[T.Mul(T.int64(2), T.int64(8)) + one, block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = kept[T.Mul(T.int64(2), T.int64(8)) + one, block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    kept_from[T.int64(2) + one, block * T.int64(4) + vector * T.int64(4) + l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one + T.int64(256)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)) % T.int64(11))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] > run[T.int64(0), l], X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept[T.Mul(T.int64(2), T.int64(8)) + one, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = kept[T.Mul(T.int64(2), T.int64(8)) + one, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    kept_from[T.int64(2) + one, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for block in range(width // T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / total[block * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                last[block * T.int64(4) + vector * T.int64(4) + l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                    for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.float32(1.0) / total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                        for l in T.vectorized(T.int64(4)):
                            if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for several in range(T.int64(2)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    scale[T.int64(0), l] = T.exp(kept_from[several, block * T.int64(4) + vector * T.int64(4) + l] - last[block * T.int64(4) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(3), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(4), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(5), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(6), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(7), block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    scale[T.int64(0), l] = T.exp(kept_from[several, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(1)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(1), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(2)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(2), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(3)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(3), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(4)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(4), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(5)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(5), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(6)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(6), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", several * T.int64(8) + T.int64(7)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[several * T.int64(8) + T.int64(7), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                    for one in range(T.int64(3)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    scale[T.int64(0), l] = T.exp(kept_from[T.int64(2) + one, block * T.int64(4) + vector * T.int64(4) + l] - last[block * T.int64(4) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[T.Mul(T.int64(2), T.int64(8)) + one, block * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    scale[T.int64(0), l] = T.exp(kept_from[T.int64(2) + one, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(8)) + one), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) // T.int64(11)), T.Cast("int32", (strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l) % T.int64(11))] = kept[T.Mul(T.int64(2), T.int64(8)) + one, width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * scale[T.int64(0), l] * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
