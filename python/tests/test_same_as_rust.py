"""The examples that build modules in Python make those that the Rust examples beside them make."""

import pytest
from conftest import HERE

import tilewright as tw

EXAMPLES = HERE.parent.parent / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")


def built(folder, name, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES / folder))
    made = __import__(name)
    if name == "llama":
        return made.Llama(made.Config()).export_tvm(made.SPEC)[0]
    return made.module()


@pytest.mark.parametrize(
    ("folder", "name"), [("builders", "tensor_expressions"), ("builders", "block_builder"), ("nn", "llama")]
)
def test_the_module_is_the_one_that_rust_prints(folder, name, monkeypatch):
    printed = (EXAMPLES / folder / f"{name}.expected.py").read_text()
    tw.ir.assert_structural_equal(built(folder, name, monkeypatch), tw.script.from_source(printed))
