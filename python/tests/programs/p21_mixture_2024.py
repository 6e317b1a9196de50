# One layer in loops, the others by name, in the spelling of 2024.
import checks
import torch
import tvm
from tvm import relax
from tvm.script import relax as R
from tvm.script import tir as T


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
class MyModuleMixture:
    @T.prim_func
    def linear0(X: T.Buffer((1, 20), "float32"),
                W: T.Buffer((12, 20), "float32"),
                B: T.Buffer((12,), "float32"),
                Z: T.Buffer((1, 12), "float32")):
        T.func_attr({"global_symbol": "linear0", "tir.noalias": True})
        Y = T.alloc_buffer((1, 12), "float32")
        for i, j, k in T.grid(1, 12, 20):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]

        for i, j in T.grid(1, 12):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = Y[vi, vj] + B[vj]

    @R.function
    def main(x: R.Tensor((1, 20), "float32"),
             w0: R.Tensor((12, 20), "float32"),
             b0: R.Tensor((12,), "float32"),
             w1: R.Tensor((5, 12), "float32"),
             b1: R.Tensor((5,), "float32")):
        with R.dataflow():
            cls = MyModuleMixture
            lv0 = R.call_tir(cls.linear0, (x, w0, b0), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            lv1 = R.call_dps_packed("env.relu", (lv0,), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            out = R.call_dps_packed("env.linear", (lv1, w1, b1), out_sinfo=R.Tensor((1, 5), dtype="float32"))
            R.output(out)
        return out


mlp_params = checks.mlp_params()
x = checks.random(1, 20)
expected = checks.mlp(x, **mlp_params)
nd_params = {k: tvm.nd.array(v) for k, v in mlp_params.items()}
data_nd = tvm.nd.array(x)

checks.round_trip(MyModuleMixture)

ex = relax.build(MyModuleMixture, target="llvm")
vm = relax.VirtualMachine(ex, tvm.cpu())
nd_res = vm["main"](data_nd,
                    nd_params["w0"],
                    nd_params["b0"],
                    nd_params["w1"],
                    nd_params["b1"])
checks.close(nd_res, expected)
