# An early return is a condition on what follows, in loops too; the last statement returns anyway.
# test: opt --pass structure_returns
# run: f n=2 only=compiled == i32[4]=[7, 9, 9, 9]
# run: g only=compiled == i32[4]=[1, 1, 0, 0]

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), n: T.int32):
        A[0] = 7
        if n < 2:
            A[1] = 8
            T.evaluate(T.ret(0))
        for i in range(3):
            A[i + 1] = 9
        T.evaluate(T.ret(0))

    @T.prim_func
    def g(A: T.Buffer((4,), "int32")):
        for i in range(4):
            A[i] = 0
        for i in range(4):
            if i == 2:
                T.evaluate(T.ret(0))
            A[i] = 1
        A[3] = 5

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), n: T.int32):
        returned = T.decl_buffer((1,), "int32", scope="local")
        returned[0] = 0
        A[0] = 7
        if n < 2:
            A[1] = 8
            returned[0] = 1
        if returned[0] == 0:
            for i in range(3):
                A[i + 1] = 9
            T.evaluate(0)

    @T.prim_func
    def g(A: T.Buffer((4,), "int32")):
        returned = T.decl_buffer((1,), "int32", scope="local")
        returned[0] = 0
        for i in range(4):
            A[i] = 0
        for i in range(4):
            if returned[0] == 0:
                if i == 2:
                    returned[0] = 1
                if returned[0] == 0:
                    A[i] = 1
        if returned[0] == 0:
            A[3] = 5
