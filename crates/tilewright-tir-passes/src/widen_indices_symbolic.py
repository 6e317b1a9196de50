# Index arithmetic is done in 64 bits; data of 32 bits stay what they are.
# test: opt --pass widen_indices
# run: f(i32[5], i32[5]) == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(n):
            B[i] = A[n - 1 - i] + i

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(T.Cast("int64", n)):
            B[i] = A[T.Cast("int64", n) - T.int64(1) - i] + T.Cast("int32", i)
