# A temporary that each iteration uses for itself is allocated there.
# test: opt --pass lower_init --pass lower_blocks --pass place_allocations
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        C = T.alloc_buffer((4, 8))
        for i in range(4):
            for j in range(8):
                with T.block("c"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = A[vi, vj] + T.float32(1)
            for j in range(8):
                with T.block("b"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = C[vi, 7 - vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            C = T.decl_buffer((1, 8))
            for j in range(8):
                C[i - i, j] = A[i, j] + T.float32(1.0)
            for j in range(8):
                B[i, j] = C[i - i, 7 - j]
