# Tuples: nested, empty, unpacked, as arguments of calls, as parameters.
# test: print
# run: main == same
# run: empty == same

@I.ir_module
class Module:
    @T.prim_func
    def add(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.block("C"):
                vi = T.axis.spatial(2, i)
                C[vi] = A[vi] + B[vi]

    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        cls = Module
        t = (x, y)
        nested = (t, (), (x, (y,)))
        a, b = t
        c = nested[2][1][0]
        d = R.call_tir(cls.add, t, out_sinfo=R.Tensor((2,), "float32"))
        e = R.add(a, c)
        return (nested, d, e, b)

    @R.function
    def empty(x: R.Tensor((2,), "float32")) -> R.Tuple():
        u = R.tuple()
        return u

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def add(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("C"):
                vi = T.axis.spatial(2, i)
                T.reads(A[vi], B[vi])
                T.writes(C[vi])
                C[vi] = A[vi] + B[vi]

    @R.function
    def empty(x: R.Tensor((2,), dtype="float32")) -> R.Tuple():
        u: R.Tuple() = R.tuple()
        return u

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tuple(R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")), R.Tuple(), R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="float32")))), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        cls = Module
        t: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = (x, y)
        nested: R.Tuple(R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")), R.Tuple(), R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="float32")))) = (t, R.tuple(), (x, (y,)))
        a: R.Tensor((2,), dtype="float32") = t[0]
        b: R.Tensor((2,), dtype="float32") = t[1]
        gv: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="float32"))) = nested[2]
        gv1: R.Tuple(R.Tensor((2,), dtype="float32")) = gv[1]
        c: R.Tensor((2,), dtype="float32") = gv1[0]
        gv2: R.Tensor((2,), dtype="float32") = t[0]
        gv3: R.Tensor((2,), dtype="float32") = t[1]
        d = R.call_tir(cls.add, (gv2, gv3), out_sinfo=R.Tensor((2,), dtype="float32"))
        e: R.Tensor((2,), dtype="float32") = R.add(a, c)
        return (nested, d, e, b)
