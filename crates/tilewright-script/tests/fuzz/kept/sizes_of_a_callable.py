# The type of a PrimFunc has the dimensions of a graph.


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((2, 3), "float32")):
        A[0, 0] = A[0, 0] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return (x, double)
