# The whole flow for a processor: pipeline, build, run.
import checks
import tvm
from tvm import relax
from tvm.ir.module import IRModule
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class MLPModule:
    @R.function
    def main(inp_0: R.Tensor((1, 20), dtype="float32"), weight1: R.Tensor((12, 20), dtype="float32"), bias1: R.Tensor((1, 12), dtype="float32"), weight2: R.Tensor((5, 12), dtype="float32"), bias2: R.Tensor((1, 5), dtype="float32")) -> R.Tensor((1, 5), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((20, 12), dtype="float32") = R.permute_dims(weight1, axes=None)
            lv1: R.Tensor((1, 12), dtype="float32") = R.matmul(inp_0, lv, out_dtype="void")
            lv2: R.Tensor((1, 12), dtype="float32") = R.add(lv1, bias1)
            lv3: R.Tensor((1, 12), dtype="float32") = R.nn.relu(lv2)
            lv4: R.Tensor((12, 5), dtype="float32") = R.permute_dims(weight2, axes=None)
            lv5: R.Tensor((1, 5), dtype="float32") = R.matmul(lv3, lv4, out_dtype="void")
            gv: R.Tensor((1, 5), dtype="float32") = R.add(lv5, bias2)
            R.output(gv)
        return gv


def optimize_and_deploy(mod: IRModule):
    before = mod.script()
    optimized = relax.pipeline.get_pipeline()(mod)
    assert mod.script() == before, "a pass changed its input"
    assert isinstance(optimized, IRModule)
    assert "R.call_tir(" in optimized.script() and "R.matmul(" not in optimized.script()
    checks.round_trip(optimized)
    ex = relax.build(optimized, "llvm")
    vm = relax.VirtualMachine(ex, tvm.cpu())
    arrays = [checks.random(*s) for s in [(1, 20), (12, 20), (1, 12), (5, 12), (1, 5)]]
    nd_arrays = [tvm.nd.array(a, device=tvm.cpu()) for a in arrays]
    checks.close(vm["main"](*nd_arrays), checks.mlp(*arrays))


optimize_and_deploy(MLPModule)
with tvm.target.Target("llvm"):
    optimize_and_deploy(MLPModule)
