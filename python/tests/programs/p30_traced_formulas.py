# A traced model, translated by rules of the script's own into formulas of the library.
import checks
import mlp_by_hand
import torch
import tvm
from fx_by_hand import from_fx, map_param
from torch import fx
from tvm import relax, te, topi


def te_relu(A):
    return te.compute(A.shape, lambda *i: te.max(A(*i), 0), name="relu")


def map_nn_linear(bb, node_map, node, nn_mod):
    x = node_map[node.args[0]]
    w = map_param(nn_mod.weight)
    if nn_mod.bias is not None:
        b = map_param(nn_mod.bias)
    y = bb.emit_te(topi.nn.dense, x, w)
    return bb.emit_te(topi.add, y, b)


def map_nn_relu(bb, node_map, node, nn_mod):
    return bb.emit_te(te_relu, node_map[node.args[0]])


model, params = mlp_by_hand.model()
MLPModule = from_fx(
    fx.symbolic_trace(model),
    input_shapes=[(1, 20)],
    call_function_map={},
    call_module_map={torch.nn.Linear: map_nn_linear, torch.nn.ReLU: map_nn_relu},
)
text = MLPModule.script()
for name in ("dense", "dense1", "add", "add1", "te_relu"):
    assert f"cls.{name}," in text, name
assert 'with T.block("T_matmul_NT"):' in text and 'with T.block("T_add"):' in text

checks.round_trip(MLPModule)
x = checks.random(1, 20)
vm = relax.VirtualMachine(relax.vm.build(MLPModule, target="llvm"), tvm.cpu())
result = vm["main"](tvm.nd.array(x))
checks.close(result, checks.mlp(x, **params))
checks.close(result, model(torch.from_numpy(x)).detach().numpy())
