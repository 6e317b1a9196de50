# Two linear layers as modules in a module: the function that is built is the one that is written below.
import checks
import numpy as np
import tvm
from tvm import relax
from tvm.relax.testing import nn
from tvm.script import ir as I
from tvm.script import relax as R


class RelaxLinear(nn.Module):
    def __init__(self, in_features, out_features, dtype: str, bias=True) -> None:
        super(RelaxLinear, self).__init__()
        self.weight = nn.Parameter((out_features, in_features), dtype, name="linear_weight")
        self.bias = nn.Parameter((1, out_features), dtype, name="linear_bias") if bias else None

    def forward(self, x: relax.Expr) -> relax.Var:
        return nn.emit(relax.op.linear(x, self.weight, self.bias))


class RelaxMLP(nn.Module):
    def __init__(self, in_features, hidden_dims, out_features, dtype="float32") -> None:
        super(RelaxMLP, self).__init__()
        self.linear1 = RelaxLinear(in_features, hidden_dims, dtype)
        self.linear2 = RelaxLinear(hidden_dims, out_features, dtype)

    def forward(self, x: relax.Expr) -> relax.Var:
        hidden = self.linear1(x)
        hidden = nn.emit(relax.op.nn.relu(hidden))
        return self.linear2(hidden)


def build_relax(mod: nn.Module):
    bb = relax.BlockBuilder()
    model = mod(20, 12, 5)
    with bb.function("main"):
        input = nn.Placeholder((1, 20), dtype="float32", name="input")
        with bb.dataflow():
            logits = model(input)
            params = [input] + model.parameters()
            gv = bb.emit_output(logits)
        bb.emit_func_output(gv, params)
    return bb.get()


@I.ir_module
class Module:
    @R.function
    def main(input: R.Tensor((1, 20), dtype="float32"), linear_weight: R.Tensor((12, 20), dtype="float32"), linear_bias: R.Tensor((1, 12), dtype="float32"), linear_weight_1: R.Tensor((5, 12), dtype="float32"), linear_bias_1: R.Tensor((1, 5), dtype="float32")) -> R.Tensor((1, 5), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((20, 12), dtype="float32") = R.permute_dims(linear_weight, axes=None)
            lv1: R.Tensor((1, 12), dtype="float32") = R.matmul(input, lv, out_dtype="void")
            lv2: R.Tensor((1, 12), dtype="float32") = R.add(lv1, linear_bias)
            lv3: R.Tensor((1, 12), dtype="float32") = R.nn.relu(lv2)
            lv4: R.Tensor((12, 5), dtype="float32") = R.permute_dims(linear_weight_1, axes=None)
            lv5: R.Tensor((1, 5), dtype="float32") = R.matmul(lv3, lv4, out_dtype="void")
            lv6: R.Tensor((1, 5), dtype="float32") = R.add(lv5, linear_bias_1)
            gv: R.Tensor((1, 5), dtype="float32") = lv6
            R.output(gv)
        return gv


made = build_relax(RelaxMLP)
tvm.ir.assert_structural_equal(made, Module)
# Names too, which the comparison leaves out.
assert made.script() == Module.script()
checks.round_trip(made)
params = checks.mlp_params()
params["b0"], params["b1"] = params["b0"][None], params["b1"][None]
x = checks.random(1, 20)
assert (x @ params["w0"].T + params["b0"] < 0).any(), "the relu has nothing to do"
vm = relax.VirtualMachine(relax.build(made, target="llvm"), tvm.cpu())
args = [tvm.nd.array(a) for a in (x, params["w0"], params["b0"], params["w1"], params["b1"])]
checks.close(vm["main"](*args), checks.mlp(x, **params))
assert not np.allclose(checks.mlp(x, **params), (x @ params["w0"].T) @ params["w1"].T)
