# A whole buffer goes to a packed function with its dimensions; the address of another element stays one.
# test: opt --pass legalize_foreign

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        T.evaluate(T.call_packed("example.note", A.data, T.address_of(A[0, 1]), 7))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        T.evaluate(T.call_packed("example.note", T.call_packed("tilewright.tensor", T.address_of(A[T.int64(0), 0]), n, 4, dtype="handle"), T.address_of(A[0, 1]), 7))
