# A traced model, translated by rules of the script's own into tensor expressions.
import checks
import numpy as np
import torch
import torch.nn as nn
import tvm
from fx_by_hand import from_fx
from torch import fx
from tvm import relax, te


class MyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.from_numpy(checks.random(12, 12)))

    def forward(self, x):
        x = torch.matmul(x, self.weight)
        x = torch.relu(x)
        return x


def te_matmul(A, B):
    k = te.reduce_axis((0, A.shape[1]), name="k")
    return te.compute((A.shape[0], B.shape[1]), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="matmul")


def te_relu(A):
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


def map_matmul(bb, node_map, node: fx.Node):
    return bb.emit_te(te_matmul, node_map[node.args[0]], node_map[node.args[1]])


def map_relu(bb, node_map, node: fx.Node):
    return bb.emit_te(te_relu, node_map[node.args[0]])


model = MyModel()
MyModule = from_fx(
    fx.symbolic_trace(model),
    input_shapes=[(1, 12)],
    call_function_map={torch.matmul: map_matmul, torch.relu: map_relu},
    call_module_map={},
)
text = MyModule.script()
assert (
    'lv = R.call_tir(cls.te_matmul, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((1, 12), dtype="float32"))'
    in text
)
assert "R.output(lv1, gv)" in text and "return lv1" in text

checks.round_trip(MyModule)
x = checks.random(1, 12)
vm = relax.VirtualMachine(relax.build(MyModule, target="llvm"), tvm.cpu())
checks.close(vm["main"](tvm.nd.array(x)), np.maximum(x @ model.weight.detach().numpy(), 0))
