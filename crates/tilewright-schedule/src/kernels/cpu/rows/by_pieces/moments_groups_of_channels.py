# A row is the channels of a group: their moments are taken in pieces of each channel, the last of which is shorter, while the
# group before is written.
# test: schedule
# step: b = get_block("normal")
# step: pipeline_moments(b, 4, 2, 3, 8, ahead=True)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 6, 3, 5), "float32"), W: T.Buffer((6,), "float32"), Y: T.Buffer((2, 6, 3, 5), "float32")):
        total = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        mean = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        squares = T.alloc_buffer((2, 2, 1, 1, 1), "float32")
        for n, g, h, w, k in T.grid(2, 2, 3, 5, 3):
            with T.block("total"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    total[vn, vg, 0, 0, 0] = T.float32(0)
                total[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] + X[vn, vg * 3 + vk, vh, vw]
        for n, g in T.grid(2, 2):
            with T.block("mean"):
                vn, vg = T.axis.remap("SS", [n, g])
                mean[vn, vg, 0, 0, 0] = total[vn, vg, 0, 0, 0] / T.float32(45)
        for n, g, h, w, k in T.grid(2, 2, 3, 5, 3):
            with T.block("squares"):
                vn, vg, vh, vw, vk = T.axis.remap("SSRRR", [n, g, h, w, k])
                with T.init():
                    squares[vn, vg, 0, 0, 0] = T.float32(0)
                squares[vn, vg, 0, 0, 0] = squares[vn, vg, 0, 0, 0] + (X[vn, vg * 3 + vk, vh, vw] - mean[vn, vg, 0, 0, 0]) * (X[vn, vg * 3 + vk, vh, vw] - mean[vn, vg, 0, 0, 0])
        for n, c, h, w in T.grid(2, 6, 3, 5):
            with T.block("normal"):
                vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
                Y[vn, vc, vh, vw] = (X[vn, vc, vh, vw] - mean[vn, vc // 3, 0, 0, 0]) / T.sqrt(squares[vn, vc // 3, 0, 0, 0] / T.float32(45) + T.float32(0.5)) * W[vc]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 6, 3, 5), "float32"), W: T.Buffer((6,), "float32"), Y: T.Buffer((2, 6, 3, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("normal"):
                T.reads(X[0:2, 0:6, 0:3, 0:5], W[0:6])
                T.writes(Y[0:2, 0:6, 0:3, 0:5])
                runs = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                between = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                drift = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                base = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                first: T.int64 = task * T.int64(3)
                count: T.int64 = T.min(T.int64(3), T.int64(4) - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                between[T.int64(0)] = T.float32(0.0)
                drift[T.int64(0)] = T.float32(0.0)
                base[T.int64(0)] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first % T.int64(2))) as group:
                    vn: T.int32 = T.Cast("int32", first // T.int64(2))
                    for lot in range(T.int64(3)):
                        with T.LetStmt(T.Cast("int32", lot)) as within:
                            ahead: T.int64 = first + T.int64(1)
                            group_1: T.int32 = T.Cast("int32", ahead % T.int64(2))
                            vn_1: T.int32 = T.Cast("int32", ahead // T.int64(2))
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = T.float32(0.0)
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, T.Cast("int32", (block * T.int64(4) + vector * T.int64(2)) // T.int64(5)), T.Cast("int32", (block * T.int64(4) + vector * T.int64(2)) % T.int64(5))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        runs[vector, l] = runs[vector, l] + X[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))]
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                            for l in T.vectorized(T.int64(4)):
                                halves[l] = runs[T.int64(0), l]
                            for l in T.vectorized(T.int64(2)):
                                halves[l] = halves[l] + halves[l + T.int64(2)]
                            for l in T.vectorized(T.int64(1)):
                                halves[l] = halves[l] + halves[l + T.int64(1)]
                            run: T.float32 = halves[T.int64(0)]
                            before: T.float32 = T.Cast("float32", lot * T.int64(15))
                            own: T.float32 = run / T.float32(8.0)
                            first_1: T.float32 = T.Select(lot == T.int64(0), own, base[T.int64(0)])
                            share: T.float32 = T.float32(8.0) / (before + T.float32(8.0))
                            distance: T.float32 = own - first_1 - drift[T.int64(0)]
                            between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (before * share))
                            drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                            base[T.int64(0)] = first_1
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, T.Cast("int32", (block * T.int64(4) + vector * T.int64(2) + T.int64(4)) // T.int64(5)), T.Cast("int32", (block * T.int64(4) + vector * T.int64(2) + T.int64(4)) % T.int64(5))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + (X[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - own) * (X[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - own)
                        within: T.int32 = T.Cast("int32", lot)
                        ahead: T.int64 = first + T.int64(1)
                        group_1: T.int32 = T.Cast("int32", ahead % T.int64(2))
                        vn_1: T.int32 = T.Cast("int32", ahead // T.int64(2))
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.float32(0.0)
                        T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, 1, 3]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            runs[T.int64(0), l] = runs[T.int64(0), l] + X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))]
                        T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, 2, 0]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(7):
                                runs[T.int64(1), l] = runs[T.int64(1), l] + X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))]
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = halves[l] + halves[l + T.int64(2)]
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = halves[l] + halves[l + T.int64(1)]
                        run: T.float32 = halves[T.int64(0)]
                        before: T.float32 = T.Cast("float32", lot * T.int64(15) + T.int64(8))
                        own: T.float32 = run / T.float32(7.0)
                        first_1: T.float32 = base[T.int64(0)]
                        share: T.float32 = T.float32(7.0) / (before + T.float32(7.0))
                        distance: T.float32 = own - first_1 - drift[T.int64(0)]
                        between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (before * share))
                        drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                        base[T.int64(0)] = first_1
                        T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, 2, 1]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - own) * (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - own)
                        T.evaluate(T.prefetch(T.address_of(X[vn_1, group_1 * 3 + within, 2, 3]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(7):
                                sums[T.int64(1), l] = sums[T.int64(1), l] + (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - own) * (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - own)
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    with T.LetStmt(base[T.int64(0)] + drift[T.int64(0)]) as mean:
                        squares: T.float32 = halves[T.int64(0)] + between[T.int64(0)]
                        of_row[T.int64(0)] = mean
                        of_row[T.int64(1)] = T.float32(1.0) / T.sqrt(squares / T.float32(45.0) + T.float32(0.5))
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    between[T.int64(0)] = T.float32(0.0)
                    drift[T.int64(0)] = T.float32(0.0)
                    base[T.int64(0)] = T.float32(0.0)
                    here: T.int64 = first + row
                    group: T.int32 = T.Cast("int32", here % T.int64(2))
                    vn: T.int32 = T.Cast("int32", here // T.int64(2))
                    next: T.int64 = first + row + T.int64(1)
                    group_1: T.int32 = T.Cast("int32", next % T.int64(2))
                    vn_1: T.int32 = T.Cast("int32", next // T.int64(2))
                    if row + T.int64(1) < count:
                        for lot in range(T.int64(3)):
                            with T.LetStmt(T.Cast("int32", lot)) as within:
                                for block in range(T.int64(1)):
                                    for vector in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(4)):
                                            Y[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
                            with T.LetStmt(T.Cast("int32", lot)) as within:
                                ahead: T.int64 = first + row + T.int64(2)
                                group_2: T.int32 = T.Cast("int32", ahead % T.int64(2))
                                vn_2: T.int32 = T.Cast("int32", ahead // T.int64(2))
                                for u in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        runs[u, l] = T.float32(0.0)
                                for block in range(T.int64(1)):
                                    for vector in T.unroll(T.int64(2)):
                                        T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, T.Cast("int32", (block * T.int64(4) + vector * T.int64(2)) // T.int64(5)), T.Cast("int32", (block * T.int64(4) + vector * T.int64(2)) % T.int64(5))]), 0, 2))
                                        for l in T.vectorized(T.int64(4)):
                                            runs[vector, l] = runs[vector, l] + X[vn_1, group_1 * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))]
                                for u in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(4)):
                                        runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                                for l in T.vectorized(T.int64(4)):
                                    halves[l] = runs[T.int64(0), l]
                                for l in T.vectorized(T.int64(2)):
                                    halves[l] = halves[l] + halves[l + T.int64(2)]
                                for l in T.vectorized(T.int64(1)):
                                    halves[l] = halves[l] + halves[l + T.int64(1)]
                                run: T.float32 = halves[T.int64(0)]
                                before: T.float32 = T.Cast("float32", lot * T.int64(15))
                                own: T.float32 = run / T.float32(8.0)
                                first_1: T.float32 = T.Select(lot == T.int64(0), own, base[T.int64(0)])
                                share: T.float32 = T.float32(8.0) / (before + T.float32(8.0))
                                distance: T.float32 = own - first_1 - drift[T.int64(0)]
                                between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (before * share))
                                drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                                base[T.int64(0)] = first_1
                                for block in range(T.int64(1)):
                                    for vector in T.unroll(T.int64(2)):
                                        T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, T.Cast("int32", (block * T.int64(4) + vector * T.int64(2) + T.int64(4)) // T.int64(5)), T.Cast("int32", (block * T.int64(4) + vector * T.int64(2) + T.int64(4)) % T.int64(5))]), 0, 2))
                                        for l in T.vectorized(T.int64(4)):
                                            sums[vector, l] = sums[vector, l] + (X[vn_1, group_1 * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - own) * (X[vn_1, group_1 * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - own)
                            with T.LetStmt(T.Cast("int32", lot)) as within:
                                for l in T.vectorized(T.int64(4)):
                                    Y[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
                                for l in T.vectorized(T.int64(4)):
                                    if T.int64(4) + l < T.int64(7):
                                        Y[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
                            within: T.int32 = T.Cast("int32", lot)
                            ahead: T.int64 = first + row + T.int64(2)
                            group_2: T.int32 = T.Cast("int32", ahead % T.int64(2))
                            vn_2: T.int32 = T.Cast("int32", ahead // T.int64(2))
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = T.float32(0.0)
                            T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, 1, 3]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                runs[T.int64(0), l] = runs[T.int64(0), l] + X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))]
                            T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, 2, 0]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(4) + l < T.int64(7):
                                    runs[T.int64(1), l] = runs[T.int64(1), l] + X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))]
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = runs[u, l] + runs[u + T.int64(1), l]
                            for l in T.vectorized(T.int64(4)):
                                halves[l] = runs[T.int64(0), l]
                            for l in T.vectorized(T.int64(2)):
                                halves[l] = halves[l] + halves[l + T.int64(2)]
                            for l in T.vectorized(T.int64(1)):
                                halves[l] = halves[l] + halves[l + T.int64(1)]
                            run: T.float32 = halves[T.int64(0)]
                            before: T.float32 = T.Cast("float32", lot * T.int64(15) + T.int64(8))
                            own: T.float32 = run / T.float32(7.0)
                            first_1: T.float32 = base[T.int64(0)]
                            share: T.float32 = T.float32(7.0) / (before + T.float32(7.0))
                            distance: T.float32 = own - first_1 - drift[T.int64(0)]
                            between[T.int64(0)] = between[T.int64(0)] + distance * (distance * (before * share))
                            drift[T.int64(0)] = drift[T.int64(0)] + distance * share
                            base[T.int64(0)] = first_1
                            T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, 2, 1]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                sums[T.int64(0), l] = sums[T.int64(0), l] + (X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - own) * (X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - own)
                            T.evaluate(T.prefetch(T.address_of(X[vn_2, group_2 * 3 + within, 2, 3]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(4) + l < T.int64(7):
                                    sums[T.int64(1), l] = sums[T.int64(1), l] + (X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - own) * (X[vn_1, group_1 * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - own)
                    else:
                        for lot in range(T.int64(3)):
                            with T.LetStmt(T.Cast("int32", lot)) as within:
                                for block in range(T.int64(1)):
                                    for vector in T.unroll(T.int64(2)):
                                        for l in T.vectorized(T.int64(4)):
                                            Y[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) // T.int64(5)), T.Cast("int32", (block * T.int64(8) + vector * T.int64(4) + l) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
                            within: T.int32 = T.Cast("int32", lot)
                            for l in T.vectorized(T.int64(4)):
                                Y[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(3)) // T.int64(5) + T.int64(1)), T.Cast("int32", (l + T.int64(3)) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(4) + l < T.int64(7):
                                    Y[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] = (X[vn, group * 3 + within, T.Cast("int32", (l + T.int64(2)) // T.int64(5) + T.int64(2)), T.Cast("int32", (l + T.int64(2)) % T.int64(5))] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[group * 3 + within]
