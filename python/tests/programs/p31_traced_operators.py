# A traced model, translated by rules of the script's own into operators, in the spelling of 2022.
import checks
import mlp_by_hand
import torch
import tvm
from fx_by_hand import from_fx, map_param
from torch import fx
from tvm import relax


def map_nn_relu_op(bb, node_map, node, nn_mod):
    A = node_map[node.args[0]]
    return bb.emit(relax.op.relu(A))


def map_nn_linear_op(bb, node_map, node, nn_mod):
    x = node_map[node.args[0]]
    w = map_param(nn_mod.weight)
    if nn_mod.bias is not None:
        b = map_param(nn_mod.bias)
    y = bb.emit(relax.op.dense(x, w))
    return bb.emit(relax.op.add(y, b))


model, params = mlp_by_hand.model()
MLPModuleHighLevel = from_fx(
    fx.symbolic_trace(model),
    input_shapes=[(1, 20)],
    call_function_map={},
    call_module_map={torch.nn.Linear: map_nn_linear_op, torch.nn.ReLU: map_nn_relu_op},
)
text = MLPModuleHighLevel.script()
for call in ("R.nn.dense(", "R.add(", "R.nn.relu("):
    assert call in text, call

checks.round_trip(MLPModuleHighLevel)
x = checks.random(1, 20)
vm = relax.VirtualMachine(relax.build(MLPModuleHighLevel, target="llvm"), tvm.cpu())
checks.close(vm["main"](tvm.nd.array(x)), checks.mlp(x, **params))
