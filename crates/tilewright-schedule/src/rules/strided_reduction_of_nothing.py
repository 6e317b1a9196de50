# Sums of nothing are not written, not even as copies of what was never begun.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((0, 127), "float32"), Y: T.Buffer((127,), "float32")):
        for i in range(127):
            for k in range(0):
                with T.block("sums"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        Y[vi] = T.float32(0)
                    Y[vi] = Y[vi] + X[vk, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((0, 127), "float32"), Y: T.Buffer((127,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        Y_local = T.alloc_buffer((127,), scope="local")
        for i_0 in range(2):
            for i_1_init in T.vectorized(64):
                with T.block("sums_init"):
                    vi = T.axis.spatial(127, i_0 * 64 + i_1_init)
                    T.where(i_0 * 64 + i_1_init < 127)
                    T.reads()
                    T.writes(Y_local[vi])
                    Y_local[vi] = T.float32(0.0)
            for k in T.unroll(0):
                for i_1 in T.vectorized(64):
                    with T.block("sums_update"):
                        vi = T.axis.spatial(127, i_0 * 64 + i_1)
                        vk = T.axis.reduce(0, k)
                        T.where(i_0 * 64 + i_1 < 127)
                        T.reads(Y_local[vi], X[vk, vi])
                        T.writes(Y_local[vi])
                        Y_local[vi] = Y_local[vi] + X[vk, vi]
            for ax0 in T.vectorized(64):
                with T.block("Y_local"):
                    v0 = T.axis.spatial(127, i_0 * 64 + ax0)
                    T.where(i_0 * 64 + ax0 < 127)
                    T.reads(Y_local[v0])
                    T.writes(Y[v0])
                    Y[v0] = Y_local[v0]
