# The two-layer network in operators, with the odd names of variables.
import checks
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(inp_0: R.Tensor((1, 20), dtype="float32"), weight1: R.Tensor((12, 20), dtype="float32"), bias1: R.Tensor((1, 12), dtype="float32"), weight2: R.Tensor((5, 12), dtype="float32"), bias2: R.Tensor((1, 5), dtype="float32")) -> R.Tensor((1, 5), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((20, 12), dtype="float32") = R.permute_dims(weight1, axes=None)
            lv_1: R.Tensor((1, 12), dtype="float32") = R.matmul(inp_0, lv, out_dtype="void")
            lv1: R.Tensor((1, 12), dtype="float32") = R.add(lv_1, bias1)
            lv2: R.Tensor((1, 12), dtype="float32") = R.nn.relu(lv1)
            lv4: R.Tensor((12, 5), dtype="float32") = R.permute_dims(weight2, axes=None)
            lv3: R.Tensor((1, 5), dtype="float32") = R.matmul(lv2, lv4, out_dtype="void")
            lv4_1: R.Tensor((1, 5), dtype="float32") = R.add(lv3, bias2)
            R.output(lv4_1)
        return lv4_1


checks.round_trip(Module)
script = Module.script()
assert "R.permute_dims(weight1, axes=None)" in script
assert "R.nn.relu(" in script
vm = relax.VirtualMachine(relax.build(Module, target="llvm"), tvm.cpu())
x, w1, b1, w2, b2 = (checks.random(*s) for s in [(1, 20), (12, 20), (1, 12), (5, 12), (1, 5)])
expected = checks.mlp(x, w1, b1, w2, b2)
assert (x @ w1.T + b1 < 0).any(), "the relu has nothing to do"
checks.close(vm["main"](*map(tvm.nd.array, (x, w1, b1, w2, b2))), expected)
assert not np.allclose((x @ w1.T + b1) @ w2.T + b2, expected)
