# Results that are little more than a piece are one: their number is no multiple of vectors, and no piece has to look for its end.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 40, 601), "float32"), Y: T.Buffer((3, 601), "float32")):
        for i, j, k in T.grid(3, 601, 40):
            with T.block("total"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 40, 601), "float32"), Y: T.Buffer((3, 601), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i in T.parallel(3):
            for j_init in T.vectorized(601):
                with T.block("total_init"):
                    vi, vj = T.axis.remap("SS", [i, j_init])
                    T.reads()
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = T.float32(0.0)
            for k in range(40):
                for j in T.vectorized(601):
                    with T.block("total_update"):
                        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                        T.reads(Y[vi, vj], X[vi, vk, vj])
                        T.writes(Y[vi, vj])
                        Y[vi, vj] = Y[vi, vj] + X[vi, vk, vj]
