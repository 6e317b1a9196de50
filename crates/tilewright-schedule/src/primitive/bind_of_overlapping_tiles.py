# Blocks of threads fetch tiles that overlap: their memory is their own.
# test: schedule
# step: b = get_block("B")
# step: all = get_loops(b)
# step: i = fuse(*all)
# step: io, ii = split(i, [None, 4])
# step: bind(io, "blockIdx.x")
# step: bind(ii, "threadIdx.x")
# step: a = cache_read(b, 0, "shared")
# step: compute_at(a, io)
# step: a0, a1 = get_loops(a)
# step: t0, t1 = split(a1, [None, 4])
# step: bind(t1, "threadIdx.x")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((14,), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(12):
            with T.block("B"):
                vi = T.axis.spatial(12, i)
                B[vi] = A[vi] + A[vi + 1] + A[vi + 2]

# expect:
