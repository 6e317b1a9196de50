# Every layer a function called by name, written on PyTorch without copies, in the spelling of 2024.
import checks
import torch
import tvm
from tvm import relax
from tvm.script import relax as R


@tvm.register_func("env.linear", override=True)
def torch_linear(x: tvm.nd.NDArray,
                 w: tvm.nd.NDArray,
                 b: tvm.nd.NDArray,
                 out: tvm.nd.NDArray):
    x_torch = torch.from_dlpack(x)
    w_torch = torch.from_dlpack(w)
    b_torch = torch.from_dlpack(b)
    out_torch = torch.from_dlpack(out)
    torch.mm(x_torch, w_torch.T, out=out_torch)
    torch.add(out_torch, b_torch, out=out_torch)


@tvm.register_func("env.relu", override=True)
def torch_relu(x: tvm.nd.NDArray,
               out: tvm.nd.NDArray):
    torch.maximum(torch.from_dlpack(x), torch.Tensor([0.0]), out=torch.from_dlpack(out))


@tvm.script.ir_module
class MyModuleWithExternCall:
    @R.function
    def main(x: R.Tensor((1, 20), "float32"),
             w0: R.Tensor((12, 20), "float32"),
             b0: R.Tensor((12,), "float32"),
             w1: R.Tensor((5, 12), "float32"),
             b1: R.Tensor((5,), "float32")):
        with R.dataflow():
            lv0 = R.call_dps_packed("env.linear", (x, w0, b0), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            lv1 = R.call_dps_packed("env.relu", (lv0,), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            out = R.call_dps_packed("env.linear", (lv1, w1, b1), out_sinfo=R.Tensor((1, 5), dtype="float32"))
            R.output(out)
        return out


mlp_params = checks.mlp_params()
x = checks.random(1, 20)
expected = checks.mlp(x, **mlp_params)
nd_params = {k: tvm.nd.array(v) for k, v in mlp_params.items()}
data_nd = tvm.nd.array(x)

checks.round_trip(MyModuleWithExternCall)
assert 'R.call_dps_packed("env.linear", (x, w0, b0), out_sinfo=' in MyModuleWithExternCall.script()

ex = relax.build(MyModuleWithExternCall, target="llvm")
vm = relax.VirtualMachine(ex, tvm.cpu())
nd_res = vm["main"](data_nd,
                    nd_params["w0"],
                    nd_params["b0"],
                    nd_params["w1"],
                    nd_params["b1"])
checks.close(nd_res, expected)
out = tvm.nd.empty((1, 12))
tvm.get_global_func("env.relu")(tvm.nd.array(-abs(checks.random(1, 12))), out)
assert (out.numpy() == 0).all()
