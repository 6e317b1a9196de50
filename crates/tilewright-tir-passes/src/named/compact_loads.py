# An interval that depends on memory stays whole, and one of no iterations is empty.
# test: opt --pass tir.CompactBufferAllocation
# run: loads == same
# run: none n=0 == same
# run: none n=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def loads(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        A[0] = 15
        with T.LetStmt(A[0] % 16) as x:
            A[0] = 2
            V = T.decl_buffer((16,), "int32")
            for i in range(x + 1):
                V[i] = i
            B[0] = V[x]

    @T.prim_func
    def none(A: T.Buffer((16,), "int32"), n: T.int32):
        B = T.decl_buffer((16,), "int32")
        for i in range(3, 1 + n):
            B[i] = A[i]
        for i in range(3, 1 + n):
            A[i] = B[i] + 1

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def loads(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        A[0] = 15
        x: T.int32 = A[0] % 16
        A[0] = 2
        V = T.decl_buffer((16,), "int32")
        for i in range(x + 1):
            V[i] = i
        B[0] = V[x]

    @T.prim_func
    def none(A: T.Buffer((16,), "int32"), n: T.int32):
        B = T.decl_buffer((T.max(T.min(n - 2, 16), 0),), "int32")
        for i in range(3, 3 + (1 + n - 3)):
            B[i - 3] = A[i]
        for i in range(3, 3 + (1 + n - 3)):
            A[i] = B[i - 3] + 1
