"""An importer of traced models as scripts write it: the rules stand in maps of the caller's. It gives the last node itself,
a variable of the dataflow block, as the result."""

import warnings

from torch import fx, nn
from tvm import relax


def map_param(param: nn.Parameter):
    ndim = len(param.data.shape)
    return relax.const(param.data.cpu().numpy(), relax.DynTensorType(ndim, "float32"))


def from_fx(fx_mod: fx.GraphModule, input_shapes, call_function_map, call_module_map):
    node_map, fn_inputs = {}, []
    named_modules = dict(fx_mod.named_modules())
    shapes = iter(input_shapes)
    bb = relax.BlockBuilder()
    with bb.function("main"):
        with bb.dataflow():
            for node in fx_mod.graph.nodes:
                if node.op == "placeholder":
                    shape = next(shapes)
                    input_var = relax.Var(node.target, shape, relax.DynTensorType(len(shape), "float32"))
                    fn_inputs.append(input_var)
                    node_map[node] = input_var
                elif node.op == "get_attr":
                    node_map[node] = map_param(getattr(fx_mod, node.target))
                elif node.op == "call_function":
                    node_map[node] = call_function_map[node.target](bb, node_map, node)
                elif node.op == "call_module":
                    module = named_modules[node.target]
                    node_map[node] = call_module_map[type(module)](bb, node_map, node, module)
                elif node.op == "output":
                    output = node_map[node.args[0]]
                    bb.emit_output(output)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bb.emit_func_output(output, fn_inputs)
    assert [warning.category for warning in caught] == [UserWarning]
    assert "is used outside of its block" in str(caught[0].message)
    return bb.get()
