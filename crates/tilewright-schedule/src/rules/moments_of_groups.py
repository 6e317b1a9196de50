# Means and variances of groups of channels are taken while the group before is written, in tasks of some groups each.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 16, 16, 20), "float32"), W: T.Buffer((16,), "float32"), Y: T.Buffer((2, 16, 16, 20), "float32")):
        total = T.alloc_buffer((2, 8, 1, 1, 1), "float32")
        mean = T.alloc_buffer((2, 8, 1, 1, 1), "float32")
        squares = T.alloc_buffer((2, 8, 1, 1, 1), "float32")
        for n, g, h, w, k in T.grid(2, 8, 16, 20, 2):
            with T.block("total"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    total[vn, vg, 0, 0, 0] = T.float32(0)
                total[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] + X[vn, vg * 2 + vk, vh, vw]
        for n, g in T.grid(2, 8):
            with T.block("mean"):
                vn, vg = T.axis.remap("SS", [n, g])
                mean[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] / T.float32(640)
        for n, g, h, w, k in T.grid(2, 8, 16, 20, 2):
            with T.block("squares"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    squares[vn, vg, 0, 0, 0] = T.float32(0)
                squares[vn, vg, 0, 0, 0] = squares[vn, vg, 0, 0, 0] + (X[vn, vg * 2 + vk, vh, vw] - mean[vn, vg, 0, 0, 0]) * (X[vn, vg * 2 + vk, vh, vw] - mean[vn, vg, 0, 0, 0])
        for n, c, h, w in T.grid(2, 16, 16, 20):
            with T.block("normal"):
                vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
                Y[vn, vc, vh, vw] = (X[vn, vc, vh, vw] - mean[vn, vc // 2, 0, 0, 0]) / T.sqrt(squares[vn, vc // 2, 0, 0, 0] / T.float32(640) + T.float32(0.5)) * W[vc]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 16, 16, 20), "float32"), W: T.Buffer((16,), "float32"), Y: T.Buffer((2, 16, 16, 20), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(8)):
            with T.block("normal"):
                T.reads(X[0:2, 0:16, 0:16, 0:20], W[0:16])
                T.writes(Y[0:2, 0:16, 0:16, 0:20])
                runs = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                between = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                drift = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                base = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        sums[u, l] = T.float32(0.0)
                between[T.int64(0)] = T.float32(0.0)
                drift[T.int64(0)] = T.float32(0.0)
                base[T.int64(0)] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first % T.int64(8))) as group:
                    vn: T.int32 = T.Cast("int32", first // T.int64(8))
                    ahead: T.int64 = first + T.int64(1)
                    group_1: T.int32 = T.Cast("int32", ahead % T.int64(8))
                    vn_1: T.int32 = T.Cast("int32", ahead // T.int64(8))
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.float32(0.0)
                    for block in range(T.int64(20)):
                        for vector in T.unroll(T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 2 + T.Cast("int32", (block * T.int64(4) + vector) // T.int64(80)), T.Cast("int32", (block * T.int64(4) + vector) // T.int64(5) % T.int64(16)), T.Cast("int32", (block * T.int64(4) + vector) % T.int64(5) * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                runs[vector, l] = runs[vector, l] + X[vn, group * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = runs[u, l] + runs[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    run: T.float32 = halves[T.int64(0)]
                    own: T.float32 = run / T.float32(640.0)
                    share: T.float32 = T.float32(1.0)
                    distance: T.float32 = own - own - drift[T.int64(0)]
                    between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (T.float32(0.0) * share))
                    drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                    base[T.int64(0)] = own
                    for block in range(T.int64(20)):
                        for vector in T.unroll(T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 2 + T.Cast("int32", (block * T.int64(4) + vector) // T.int64(80) + T.int64(1)), T.Cast("int32", (block * T.int64(4) + vector) // T.int64(5) % T.int64(16)), T.Cast("int32", (block * T.int64(4) + vector) % T.int64(5) * T.int64(4))]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                sums[vector, l] = sums[vector, l] + (X[vn, group * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - own) * (X[vn, group * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - own)
                for row in range(T.int64(2)):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    with T.LetStmt(base[T.int64(0)] + drift[T.int64(0)]) as mean:
                        squares: T.float32 = halves[T.int64(0)] + between[T.int64(0)]
                        of_row[T.int64(0)] = mean
                        of_row[T.int64(1)] = T.float32(1.0) / T.sqrt(squares / T.float32(640.0) + T.float32(0.5))
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = T.float32(0.0)
                    between[T.int64(0)] = T.float32(0.0)
                    drift[T.int64(0)] = T.float32(0.0)
                    base[T.int64(0)] = T.float32(0.0)
                    here: T.int64 = first + row
                    group: T.int32 = T.Cast("int32", here % T.int64(8))
                    vn: T.int32 = T.Cast("int32", here // T.int64(8))
                    next: T.int64 = first + row + T.int64(1)
                    group_1: T.int32 = T.Cast("int32", next % T.int64(8))
                    vn_1: T.int32 = T.Cast("int32", next // T.int64(8))
                    if row < T.int64(1):
                        for within in range(T.int64(2)):
                            within_1: T.int32 = T.Cast("int32", within)
                            for block in range(T.int64(10)):
                                for vector in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        Y[vn, group * 2 + within_1, T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] = (X[vn, group * 2 + within_1, T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 2 + within_1]
                        ahead: T.int64 = first + row + T.int64(2)
                        group_2: T.int32 = T.Cast("int32", ahead % T.int64(8))
                        vn_2: T.int32 = T.Cast("int32", ahead // T.int64(8))
                        for u in T.unroll(T.int64(4)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = T.float32(0.0)
                        for block in range(T.int64(20)):
                            for vector in T.unroll(T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 2 + T.Cast("int32", (block * T.int64(4) + vector) // T.int64(80)), T.Cast("int32", (block * T.int64(4) + vector) // T.int64(5) % T.int64(16)), T.Cast("int32", (block * T.int64(4) + vector) % T.int64(5) * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    runs[vector, l] = runs[vector, l] + X[vn_1, group_1 * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))]
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = runs[u, l] + runs[u + T.int64(2), l]
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                        for l in T.vectorized(T.int64(8)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = halves[l] + halves[l + T.int64(4)]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = halves[l] + halves[l + T.int64(2)]
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = halves[l] + halves[l + T.int64(1)]
                        run: T.float32 = halves[T.int64(0)]
                        own: T.float32 = run / T.float32(640.0)
                        share: T.float32 = T.float32(1.0)
                        distance: T.float32 = own - own - drift[T.int64(0)]
                        between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (T.float32(0.0) * share))
                        drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                        base[T.int64(0)] = own
                        for block in range(T.int64(20)):
                            for vector in T.unroll(T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 2 + T.Cast("int32", (block * T.int64(4) + vector) // T.int64(80) + T.int64(1)), T.Cast("int32", (block * T.int64(4) + vector) // T.int64(5) % T.int64(16)), T.Cast("int32", (block * T.int64(4) + vector) % T.int64(5) * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    sums[vector, l] = sums[vector, l] + (X[vn_1, group_1 * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - own) * (X[vn_1, group_1 * 2 + T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(320)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20) % T.int64(16)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - own)
                    else:
                        for within in range(T.int64(2)):
                            within_1: T.int32 = T.Cast("int32", within)
                            for block in range(T.int64(10)):
                                for vector in T.unroll(T.int64(4)):
                                    for l in T.vectorized(T.int64(8)):
                                        Y[vn, group * 2 + within_1, T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] = (X[vn, group * 2 + within_1, T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) // T.int64(20)), T.Cast("int32", (block * T.int64(32) + vector * T.int64(8) + l) % T.int64(20))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 2 + within_1]
