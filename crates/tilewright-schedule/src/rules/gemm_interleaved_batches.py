# Rows of several matrices that lie between each other are not joined: the tasks of each matrix count among those that share
# the work, so that one has all columns of some rows.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main m=5 == same
# run: main m=1 == same
# run: main m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((400, 64), "float32"), c: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(8), T.int64(400)), "float32")
        C = T.match_buffer(c, (m, T.int64(8), T.int64(64)), "float32")
        for h, i, j, k in T.grid(T.int64(8), m, T.int64(64), T.int64(400)):
            with T.block("C"):
                vh, vi, vj, vk = T.axis.remap("SSSR", [h, i, j, k])
                with T.init():
                    C[vi, vh, vj] = T.float32(0)
                C[vi, vh, vj] = C[vi, vh, vj] + A[vi, vh, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((400, 64), "float32"), c: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(8), T.int64(400)), "float32")
        C = T.match_buffer(c, (m, T.int64(8), T.int64(64)), "float32")
        # with T.block("root"):
        for task in T.parallel((m + T.int64(191)) // T.int64(192) * T.int64(8)):
            with T.block("C"):
                T.reads(A[T.int64(0):m, T.int64(0):T.int64(8), T.int64(0):T.int64(400)], B[0:400, 0:64], C[T.int64(0):m, T.int64(0):T.int64(8), T.int64(0):T.int64(64)])
                T.writes(C[T.int64(0):m, T.int64(0):T.int64(8), T.int64(0):T.int64(64)])
                packed_b = T.alloc_buffer((T.int64(400), T.int64(16)), align=64)
                tile = T.alloc_buffer((T.int64(4), T.int64(2), T.int64(8)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(2), T.int64(2), T.int64(8)), scope="local", align=64)
                tile_2 = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(8)), scope="local", align=64)
                batch: T.int64 = task % T.int64(8)
                m_block: T.int64 = task // T.int64(8)
                m_start: T.int64 = m_block * T.int64(192)
                m_count: T.int64 = T.min(m - m_start, T.int64(192))
                for p in range(T.int64(4)):
                    for k, v in T.grid(T.int64(400), T.int64(2)):
                        for j in T.vectorized(T.int64(8)):
                            packed_b[k, v * T.int64(8) + j] = B[k, p * T.int64(16) + v * T.int64(8) + j]
                    for t in range(m_count // T.int64(4)):
                        if t * T.int64(4) + T.int64(4) <= m_count:
                            for i in T.unroll(T.int64(4)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(8)):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(100)):
                                for u in T.unroll(T.int64(4)):
                                    for i in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                tile[i, v, j] = tile[i, v, j] + A[m_start + t * T.int64(4) + i, batch, k * T.int64(4) + u] * packed_b[k * T.int64(4) + u, v * T.int64(8) + j]
                            for i in T.unroll(T.int64(4)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(8)):
                                        C[m_start + t * T.int64(4) + i, batch, p * T.int64(16) + v * T.int64(8) + j] = tile[i, v, j]
                    if m_count % T.int64(4) >= T.int64(2) and (m_count // T.int64(4) * T.int64(4) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2) <= T.int64(192) and m_start + (m_count // T.int64(4) * T.int64(4) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2)) <= m):
                        for i in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(T.int64(100)):
                            for u in T.unroll(T.int64(4)):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(8)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[m_start + m_count // T.int64(4) * T.int64(4) + i, batch, k * T.int64(4) + u] * packed_b[k * T.int64(4) + u, v * T.int64(8) + j]
                        for i in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    C[m_start + m_count // T.int64(4) * T.int64(4) + i, batch, p * T.int64(16) + v * T.int64(8) + j] = tile_1[i, v, j]
                    if m_count % T.int64(2) >= T.int64(1) and (m_count // T.int64(4) * T.int64(4) + m_count // T.int64(2) % T.int64(2) * T.int64(2) + T.int64(1) <= T.int64(192) and m_start + (m_count // T.int64(4) * T.int64(4) + m_count // T.int64(2) % T.int64(2) * T.int64(2) + T.int64(1)) <= m):
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    tile_2[i, v, j] = T.float32(0.0)
                        for k in range(T.int64(100)):
                            for u in T.unroll(T.int64(4)):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(8)):
                                            tile_2[i, v, j] = tile_2[i, v, j] + A[m_start + m_count // T.int64(2) * T.int64(2) + i, batch, k * T.int64(4) + u] * packed_b[k * T.int64(4) + u, v * T.int64(8) + j]
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    C[m_start + m_count // T.int64(2) * T.int64(2) + i, batch, p * T.int64(16) + v * T.int64(8) + j] = tile_2[i, v, j]
