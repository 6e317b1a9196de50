# Of integers there is no NaN.
# test: schedule
# step: b = get_block("place")
# step: rows_by_pieces(b, 4, 1, 1, 16)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 32), "int8"), Y: T.Buffer((2,), "int64")):
        best = T.alloc_buffer((2,), "int8")
        for i, k in T.grid(2, 32):
            with T.block("best"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    best[vi] = T.int8(-128)
                best[vi] = T.max(best[vi], X[vi, vk])
        for i, k in T.grid(2, 32):
            with T.block("place"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[vi] = T.int64(9223372036854775807)
                Y[vi] = T.min(Y[vi], T.Select(X[vi, vk] == best[vi], T.Cast("int64", vk), T.int64(9223372036854775807)))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 32), "int8"), Y: T.Buffer((2,), "int64")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("place"):
                T.reads(X[0:2, 0:32])
                T.writes(Y[0:2])
                runs = T.alloc_buffer((T.int64(1), T.int64(4)), "int8", scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), "int8", scope="local", align=64)
                at = T.alloc_buffer((T.int64(1),), "int64", scope="local", align=64)
                best = T.alloc_buffer((T.int64(1),), "int8", scope="local", align=64)
                places = T.alloc_buffer((T.int64(1), T.int64(4)), "int64", scope="local", align=64)
                place = T.alloc_buffer((T.int64(4),), "int64", scope="local", align=64)
                for row in range(T.int64(1)):
                    vi: T.int32 = T.Cast("int32", task + row)
                    at[T.int64(0)] = T.int64(0)
                    best[T.int64(0)] = T.int8(-128)
                    for piece in range(T.int64(2)):
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.int8(-128)
                        for block in range(T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(4) + vector * T.int64(4) + T.int64(4096))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.max(runs[vector, l], X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                        run: T.int8 = halves[T.int64(0)]
                        at[T.int64(0)] = T.Select(run > best[T.int64(0)], piece * T.int64(16), at[T.int64(0)])
                        best[T.int64(0)] = T.Select(run > best[T.int64(0)], run, best[T.int64(0)])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            places[u, l] = T.int64(9223372036854775807)
                    for block in range(T.int64(4)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                places[vector, l] = T.min(places[vector, l], T.Select(X[vi, T.Cast("int32", at[T.int64(0)] + (block * T.int64(4) + vector * T.int64(4) + l))] == best[T.int64(0)], T.Cast("int64", T.Cast("int32", at[T.int64(0)] + (block * T.int64(4) + vector * T.int64(4) + l))), T.int64(9223372036854775807)))
                    for l in T.vectorized(T.int64(4)):
                        place[l] = places[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        place[l] = T.min(place[l], place[l + T.int64(2)])
                    for l in T.vectorized(T.int64(1)):
                        place[l] = T.min(place[l], place[l + T.int64(1)])
                    Y[vi] = place[T.int64(0)]
