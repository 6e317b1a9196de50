# A call of a function of the process stays, whatever becomes of its result; what else is only computed goes.
# test: opt --pass simplify

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        for i in range(4):
            T.evaluate(T.call_packed("example.note", i * 2 - i))
            T.evaluate(A[i] + T.float32(1.0))
            A[i] = T.float32(1.0)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        for i in range(4):
            T.evaluate(T.call_packed("example.note", i))
            A[i] = T.float32(1.0)
