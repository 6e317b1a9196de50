# A scalar of a signature that mentions variables is a text, and texts inside it are in the other quotes.
# test: print

@I.ir_module
class Module:
    @R.function
    def numbers(n: R.Prim(value="m")):
        m = T.int64()
        a = R.prim_value(T.Cast("float32", m) + T.float32("inf"))
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def numbers(n: R.Prim(value="m")) -> R.Prim(value="T.Cast('float32', m) + T.float32('inf')"):
        m = T.int64()
        a: R.Prim(value=T.Cast("float32", m) + T.float32("inf")) = R.prim_value(T.Cast("float32", m) + T.float32("inf"))
        return a
