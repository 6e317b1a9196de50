# The whole flow for a GPU, as far as a machine without one goes: pipeline, schedule, and the threads that came of it.
import checks
import tvm
from tvm import relax
from tvm.ir.module import IRModule
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class MLPModule:
    @R.function
    def main(inp_0: R.Tensor((1, 784), dtype="float32"), weight1: R.Tensor((128, 784), dtype="float32"), bias1: R.Tensor((1, 128), dtype="float32"), weight2: R.Tensor((10, 128), dtype="float32"), bias2: R.Tensor((1, 10), dtype="float32")) -> R.Tensor((1, 10), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((784, 128), dtype="float32") = R.permute_dims(weight1, axes=None)
            lv1: R.Tensor((1, 128), dtype="float32") = R.matmul(inp_0, lv, out_dtype="void")
            lv2: R.Tensor((1, 128), dtype="float32") = R.add(lv1, bias1)
            lv3: R.Tensor((1, 128), dtype="float32") = R.nn.relu(lv2)
            lv4: R.Tensor((128, 10), dtype="float32") = R.permute_dims(weight2, axes=None)
            lv5: R.Tensor((1, 10), dtype="float32") = R.matmul(lv3, lv4, out_dtype="void")
            gv: R.Tensor((1, 10), dtype="float32") = R.add(lv5, bias2)
            R.output(gv)
        return gv


def optimize(mod: IRModule, target: tvm.target.Target):
    mod = relax.pipeline.get_pipeline()(mod)
    with target:
        return tvm.tir.transform.DefaultGPUSchedule()(mod)


module = optimize(MLPModule, tvm.target.Target("cuda"))
functions = [func for _, func in module.functions_items() if isinstance(func, tvm.tir.PrimFunc)]
assert functions
for func in functions:
    text = func.script()
    assert 'thread="blockIdx.x"' in text and 'thread="threadIdx.x"' in text, text
    assert func.attrs["tir.is_scheduled"]
checks.round_trip(module)

if tvm.cuda().exist:
    arrays = [checks.random(*s) for s in [(1, 784), (128, 784), (1, 128), (10, 128), (1, 10)]]
    ex = relax.build(module, "cuda")
    vm = relax.VirtualMachine(ex, tvm.cuda())
    checks.close(vm["main"](*[tvm.nd.array(a, device=tvm.cuda()) for a in arrays]), checks.mlp(*arrays))
