# A temporary that is read only to be updated, a store of what is there, a loop around nothing.
# test: opt --pass lower_init --pass lower_blocks --pass remove_no_op
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        S = T.alloc_buffer((1,))
        R = T.alloc_buffer((1,))
        S[0] = T.float32(0)
        R[0] = T.float32(0)
        for i in range(8):
            S[0] = S[0] + A[i]
            if A[i] > T.float32(0):
                B[i] = B[i]
            R[0] = R[0] + A[i]
        B[3] = R[0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        S = T.decl_buffer((1,))
        R_ = T.decl_buffer((1,))
        R_[0] = T.float32(0.0)
        for i in range(8):
            R_[0] = R_[0] + A[i]
        B[3] = R_[0]
