# Of one worker, each gives the worker's own tensor.
# test: run
# run: main(f32[2,2]=[1, 2, 3, 4]) == f32[2,2]=[1, 2, 3, 4]


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")):
        a = R.ccl.allreduce(x, op_type="avg", in_group=False)
        b = R.ccl.allgather(a, num_workers=1, in_group=False)
        c = R.ccl.broadcast_from_worker0(b)
        d = R.ccl.scatter_from_worker0(c, num_workers=1, axis=1)
        return d
