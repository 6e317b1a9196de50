# The first iteration of the reduction also initialises.
# test: opt --pass lower_init
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 5), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, k in T.grid(4, 5):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 5), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("sum_init"):
                vi = T.axis.spatial(4, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(0.0)
            for k in range(5):
                with T.block("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.reads(A[vi, vk], B[vi])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vi, vk]
