# Neither the rows side by side nor their length have to be known; there may be none.
# test: schedule
# step: b = get_block("shares")
# step: rows_side_by_side(b, 4, 2, 8, 4)
# run: main n=5 m=21 == same
# run: main n=1 m=1 == same
# run: main n=4 m=8 special == same
# run: main n=0 m=3 == same
# run: main n=3 m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(x, (T.int64(2), n, m), "float16")
        Y = T.match_buffer(y, (T.int64(2), n, m), "float16")
        largest = T.alloc_buffer((T.int64(2), m), "float32")
        total = T.alloc_buffer((T.int64(2), m), "float32")
        for i, h, j in T.grid(T.int64(2), m, n):
            with T.block("largest"):
                vi, vh, vj = T.axis.remap("SSR", [i, h, j])
                with T.init():
                    largest[vi, vh] = T.float32("-inf")
                largest[vi, vh] = T.max(largest[vi, vh], T.Cast("float32", X[vi, vj, vh]))
        for i, h, j in T.grid(T.int64(2), m, n):
            with T.block("total"):
                vi, vh, vj = T.axis.remap("SSR", [i, h, j])
                with T.init():
                    total[vi, vh] = T.float32(0)
                total[vi, vh] = total[vi, vh] + T.exp(T.Cast("float32", X[vi, vj, vh]) - largest[vi, vh])
        for i, j, h in T.grid(T.int64(2), n, m):
            with T.block("shares"):
                vi, vj, vh = T.axis.remap("SSS", [i, j, h])
                Y[vi, vj, vh] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, vj, vh]) - largest[vi, vh]) / total[vi, vh])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(x, (T.int64(2), n, m), "float16")
        Y = T.match_buffer(y, (T.int64(2), n, m), "float16")
        # with T.block("root"):
        for task in T.parallel((m + T.int64(7)) // T.int64(8)):
            with T.block("shares"):
                T.reads(X[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):m])
                T.writes(Y[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):m])
                most = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                run = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sum = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                last = T.alloc_buffer((T.int64(8),), align=64)
                of_row = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), (m + T.int64(7)) // T.int64(8) * T.int64(2) - first)
                for row in range(count):
                    here: T.int64 = first + row
                    strip: T.int64 = here % ((m + T.int64(7)) // T.int64(8))
                    vi: T.int64 = here // ((m + T.int64(7)) // T.int64(8))
                    width: T.int64 = T.min(T.int64(8), m - strip * T.int64(8))
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
                    for several in range(n // T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(256), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(257), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(258), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(259), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = T.exp(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(256), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(257), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(258), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(259), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = T.exp(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = sum[T.int64(0), l] + T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                    for one in range(n % T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, n // T.int64(4) * T.int64(4) + one + T.int64(256), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = most[block * T.int64(4) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    sum[T.int64(0), l] = T.exp(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    total[block * T.int64(4) + vector * T.int64(4) + l] = total[block * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[block * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                                for l in T.vectorized(T.int64(4)):
                                    most[block * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, n // T.int64(4) * T.int64(4) + one + T.int64(256), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    run[T.int64(0), l] = T.Select(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) > run[T.int64(0), l], T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]), run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    sum[T.int64(0), l] = T.exp(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - run[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = total[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] * T.exp(most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] - run[T.int64(0), l]) + sum[T.int64(0), l]
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    most[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = run[T.int64(0), l]
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
                    for several in range(n // T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(256), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(257), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(258), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(259), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, several * T.int64(4), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l])
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(256), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(257), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(258), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, several * T.int64(4) + T.int64(259), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, several * T.int64(4), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(1), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(2), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, several * T.int64(4) + T.int64(3), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
                    for one in range(n % T.int64(4)):
                        for block in range(width // T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, n // T.int64(4) * T.int64(4) + one + T.int64(256), strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + block * T.int64(4) + vector * T.int64(4) + l]) - last[block * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), block * T.int64(4) + vector * T.int64(4) + l])
                        for vector in range((width % T.int64(4) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, n // T.int64(4) * T.int64(4) + one + T.int64(256), strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l < width:
                                    Y[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, n // T.int64(4) * T.int64(4) + one, strip * T.int64(8) + width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) - last[width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l]) * of_row[T.int64(0), width // T.int64(4) * T.int64(4) + vector * T.int64(4) + l])
