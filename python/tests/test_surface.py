"""The tables of names and of behaviours in the documentation are what the package has."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["surface", "behaviours"])
def test_the_package_is_as_the_table_says(name):
    script = Path(__file__).parents[2] / "scripts" / f"{name}.py"
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_small_names_work():
    import tilewright as tw
    from tilewright import relax, tir
    from tilewright.relax.analysis import derive_func_ret_shape
    from tilewright.script import tir as T
    from tilewright.script.parser.core.diagnostics import Source
    from tilewright.tir.transform.transform import BindTarget

    n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
    x = relax.Var("x", relax.TensorStructInfo((n, 3), "float32"))
    tw.ir.assert_structural_equal(derive_func_ret_shape([x], relax.op.permute_dims(x)), relax.ShapeExpr([3, n]))
    with pytest.raises(ValueError, match="no parameter tells m"):
        derive_func_ret_shape([x], relax.Var("y", relax.TensorStructInfo((m,), "float32")))

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        A[0] = 1.0

    bound = BindTarget("llvm")(tw.IRModule({"f": f, "g": f.with_attr("target", "cuda")}))
    assert (bound["f"].attrs["target"], bound["g"].attrs["target"]) == (
        tw.target.Target("llvm"),
        tw.target.Target("cuda"),
    )

    place = Source(test_small_names_work)
    assert place.source_name == __file__ and place.full_source.splitlines()[place.start_line - 1].startswith("def ")
    assert Source("a = 1").as_ast().body[0].value.value == 1
