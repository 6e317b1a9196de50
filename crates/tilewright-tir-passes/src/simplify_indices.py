# Index arithmetic in canonical form; conditions that always hold are not asked.
# test: opt --pass simplify
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "float32")):
        for i, j in T.grid(3, 4):
            if i * 4 + j < 12:
                B[(i * 4 + j) // 4 * 4 + (i * 4 + j) % 4] = A[j + i * 2 + 2 * i + 0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "float32")):
        for i, j in T.grid(3, 4):
            B[i * 4 + j] = A[j + i * 4]
