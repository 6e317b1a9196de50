# What a loop says of memory holds after it if it certainly runs.
# test: opt --pass tir.Simplify:propagate_knowns_to_prove_conditional=1
# run: may n=0 == same
# run: does == same

@I.ir_module
class Module:
    @T.prim_func
    def may(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), n: T.int32):
        for i in range(n):
            T.evaluate(T.assume(A[0] == 1))
            B[i] = 5
        if A[0] == 1:
            B[0] = 77
        else:
            B[0] = 66

    @T.prim_func
    def does(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        A[0] = 1
        for i in range(3):
            T.evaluate(T.assume(A[0] == 1))
            B[i] = 5
        if A[0] == 1:
            B[0] = 77
        else:
            B[0] = 66

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def does(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        A[0] = 1
        for i in range(3):
            T.assume(A[0] == 1)
            B[i] = 5
        B[0] = 77

    @T.prim_func
    def may(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), n: T.int32):
        for i in range(n):
            T.assume(A[0] == 1)
            B[i] = 5
        if A[0] == 1:
            B[0] = 77
        else:
            B[0] = 66
