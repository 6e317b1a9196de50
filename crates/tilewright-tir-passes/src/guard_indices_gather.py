# An index that contains loaded data is checked by an assert.
# test: opt --pass guard_indices
# run: f(i32[3]=[2, 0, 3], f32[4], f32[3]) == same

@I.ir_module
class Module:
    @T.prim_func
    def f(I0: T.Buffer((3,), "int32"), A: T.Buffer((4,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[I0[i]]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(I0: T.Buffer((3,), "int32"), A: T.Buffer((4,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            assert 0 <= I0[i] and I0[i] < 4, "index out of range: dimension 0 of buffer `A`"
            B[i] = A[I0[i]]
