# A region whose index has no value, because it divides by zero, is empty: an instance that accesses nothing runs.
# test: run
# run: main(f32[4]=[1,2,3,4], i64=0, f32[4]) == f32[4]=[-1,-1,-1,-1]
# run: main(f32[4]=[1,2,3,4], i64=2, f32[4]) == f32[4]=[1,1,2,2]


@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, n: T.int64, b: T.handle):
        T.func_attr({"tir.noalias": True})
        A = T.match_buffer(a, (T.int64(4),), "float32")
        B = T.match_buffer(b, (T.int64(4),), "float32")
        for i in range(T.int64(4)):
            with T.block("picked"):
                vi = T.axis.spatial(T.int64(4), i)
                T.reads(A[vi // n])
                T.writes(B[vi])
                B[vi] = T.if_then_else(n != T.int64(0), A[vi // n], T.float32(-1))
