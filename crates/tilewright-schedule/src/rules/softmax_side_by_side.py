# Contiguous axes after the reduced one are the lanes of rows side by side.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 13, 6, 48), "float32"), Y: T.Buffer((2, 13, 6, 48), "float32")):
        largest = T.alloc_buffer((2, 6, 48), "float32")
        total = T.alloc_buffer((2, 6, 48), "float32")
        for i, h, w, j in T.grid(2, 6, 48, 13):
            with T.block("largest"):
                vi, vh, vw, vj = T.axis.remap("SSSR", [i, h, w, j])
                with T.init():
                    largest[vi, vh, vw] = T.float32("-inf")
                largest[vi, vh, vw] = T.max(largest[vi, vh, vw], X[vi, vj, vh, vw])
        for i, h, w, j in T.grid(2, 6, 48, 13):
            with T.block("total"):
                vi, vh, vw, vj = T.axis.remap("SSSR", [i, h, w, j])
                with T.init():
                    total[vi, vh, vw] = T.float32(0)
                total[vi, vh, vw] = total[vi, vh, vw] + T.exp(X[vi, vj, vh, vw] - largest[vi, vh, vw])
        for i, j, h, w in T.grid(2, 13, 6, 48):
            with T.block("shares"):
                vi, vj, vh, vw = T.axis.remap("SSSS", [i, j, h, w])
                Y[vi, vj, vh, vw] = T.exp(X[vi, vj, vh, vw] - largest[vi, vh, vw]) / total[vi, vh, vw]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 13, 6, 48), "float32"), Y: T.Buffer((2, 13, 6, 48), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(12)):
            with T.block("shares"):
                T.reads(X[0:2, 0:13, 0:6, 0:48])
                T.writes(Y[0:2, 0:13, 0:6, 0:48])
                running_max = T.alloc_buffer((T.int64(48),), align=64)
                total = T.alloc_buffer((T.int64(48),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(13), T.int64(48)), align=64)
                kept_from = T.alloc_buffer((T.int64(3), T.int64(48)), align=64)
                last = T.alloc_buffer((T.int64(48),), align=64)
                of_row = T.alloc_buffer((T.int64(1), T.int64(48)), align=64)
                scale = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                for block in range(T.int64(6)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            running_max[block * T.int64(8) + vector * T.int64(8) + l] = T.float32(-3.4028235e38)
                        for l in T.vectorized(T.int64(8)):
                            total[block * T.int64(8) + vector * T.int64(8) + l] = T.float32(0.0)
                with T.LetStmt(task % T.int64(6)) as strip:
                    vi: T.int32 = T.Cast("int32", task // T.int64(6))
                    for several, block in T.grid(T.int64(2), T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(42)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(43)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(44)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(45)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(46)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(47)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = running_max[block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(1)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6) + T.int64(1)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(2)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6) + T.int64(2)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(3)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6) + T.int64(3)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(4)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6) + T.int64(4)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(5)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", several * T.int64(6) + T.int64(5)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = kept[several * T.int64(6), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6) + T.int64(1), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(1)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(6) + T.int64(1), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6) + T.int64(2), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(2)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(6) + T.int64(2), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6) + T.int64(3), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(3)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(6) + T.int64(3), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6) + T.int64(4), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(4)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(6) + T.int64(4), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                kept[several * T.int64(6) + T.int64(5), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", several * T.int64(6) + T.int64(5)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = sum[T.int64(0), l] + kept[several * T.int64(6) + T.int64(5), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                total[block * T.int64(8) + vector * T.int64(8) + l] = total[block * T.int64(8) + vector * T.int64(8) + l] * T.exp(running_max[block * T.int64(8) + vector * T.int64(8) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(8)):
                                running_max[block * T.int64(8) + vector * T.int64(8) + l] = run[T.int64(0), l]
                            for l in T.vectorized(T.int64(8)):
                                kept_from[several, block * T.int64(8) + vector * T.int64(8) + l] = running_max[block * T.int64(8) + vector * T.int64(8) + l]
                    for one, block in T.grid(T.int64(1), T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(6)) + one + T.int64(42)), T.Cast("int32", strip + (block + vector) // T.int64(6)), T.Cast("int32", (block + vector) % T.int64(6) * T.int64(8))]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = running_max[block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                run[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(6)) + one), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] > run[T.int64(0), l], X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(6)) + one), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))], run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                kept[T.Mul(T.int64(2), T.int64(6)) + one, block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(6)) + one), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                sum[T.int64(0), l] = kept[T.Mul(T.int64(2), T.int64(6)) + one, block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                total[block * T.int64(8) + vector * T.int64(8) + l] = total[block * T.int64(8) + vector * T.int64(8) + l] * T.exp(running_max[block * T.int64(8) + vector * T.int64(8) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(8)):
                                running_max[block * T.int64(8) + vector * T.int64(8) + l] = run[T.int64(0), l]
                            for l in T.vectorized(T.int64(8)):
                                kept_from[T.int64(2) + one, block * T.int64(8) + vector * T.int64(8) + l] = running_max[block * T.int64(8) + vector * T.int64(8) + l]
                for row in range(T.int64(1)):
                    for block in range(T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l] = T.float32(1.0) / total[block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                last[block * T.int64(8) + vector * T.int64(8) + l] = running_max[block * T.int64(8) + vector * T.int64(8) + l]
                    for block in range(T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                running_max[block * T.int64(8) + vector * T.int64(8) + l] = T.float32(-3.4028235e38)
                            for l in T.vectorized(T.int64(8)):
                                total[block * T.int64(8) + vector * T.int64(8) + l] = T.float32(0.0)
                    here: T.int64 = task + row
                    strip: T.int64 = here % T.int64(6)
                    vi: T.int32 = T.Cast("int32", here // T.int64(6))
                    for several, block in T.grid(T.int64(2), T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                scale[T.int64(0), l] = T.exp(kept_from[several, block * T.int64(8) + vector * T.int64(8) + l] - last[block * T.int64(8) + vector * T.int64(8) + l])
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6) + T.int64(1)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6) + T.int64(1), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6) + T.int64(2)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6) + T.int64(2), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6) + T.int64(3)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6) + T.int64(3), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6) + T.int64(4)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6) + T.int64(4), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", several * T.int64(6) + T.int64(5)), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[several * T.int64(6) + T.int64(5), block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
                    for one, block in T.grid(T.int64(1), T.int64(6)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                scale[T.int64(0), l] = T.exp(kept_from[T.int64(2) + one, block * T.int64(8) + vector * T.int64(8) + l] - last[block * T.int64(8) + vector * T.int64(8) + l])
                            for l in T.vectorized(T.int64(8)):
                                Y[vi, T.Cast("int32", T.Mul(T.int64(2), T.int64(6)) + one), T.Cast("int32", strip + (block * T.int64(8) + vector * T.int64(8) + l) // T.int64(48)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(8) + l) % T.int64(48))] = kept[T.Mul(T.int64(2), T.int64(6)) + one, block * T.int64(8) + vector * T.int64(8) + l] * scale[T.int64(0), l] * of_row[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l]
