# What te.compute means: a value for each of the indices that itertools.product lists.
from itertools import product

import checks
import numpy as np
import tvm
from tvm import te


def check(out_shape, f_compute, *inputs):
    tensors = [te.placeholder(a.shape, name=f"A{i}", dtype="float32") for i, a in enumerate(inputs)]
    out = te.compute(out_shape, lambda *indices: f_compute(*tensors, *indices), name="out")
    expected = np.zeros(out_shape, "float32")
    for indices in product(*(range(s) for s in out_shape)):
        expected[indices] = f_compute(*inputs, *indices)
    func = te.create_prim_func([*tensors, out])
    checks.round_trip(func)
    result = tvm.nd.empty(out_shape, "float32")
    tvm.build(func, target="llvm")(*map(tvm.nd.array, inputs), result)
    checks.close(result, expected)



assert list(product(range(2), range(3)))[3] == (1, 0), "the last index runs first"
a, b = checks.random(3, 4), checks.random(4, 3)
check((3, 4), lambda A, i, j: A[i, j] * 2, a)
check((4, 3), lambda A, i, j: A[j, i], a)
check((3, 4), lambda A, B, i, j: A[i, j] - B[j, i], a, b)
check((5,), lambda A, i: A[2, 3] + A[0, 0], a)
check((2, 1, 3), lambda A, i, j, k: A[k, i + j], a)
check((), lambda A: A[1, 1], a)
