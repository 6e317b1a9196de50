@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((3,), "float32")):
        T.func_attr({"global_symbol": True})
        for i in range(3):
            A[i] = T.float32(0)
