"""Diagnostics in exceptions: the text of the command line, the parts for programs, renderers in Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import tilewright as tvm
from tilewright.ir import diagnostics

WRONG = """\
@I.ir_module
class Module:
    @T.prim_func
    def fill(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i, 0] = 0.0

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 5), "float32")):
        h = R.nn.relu(x)
        y = R.matmul(h, w)
        return R.nn.rellu(y)
"""


@pytest.fixture(autouse=True)
def own_renderer():
    yield
    diagnostics.override_renderer(None)


def failure(text: str = WRONG) -> tvm.error.DiagnosticError:
    with pytest.raises(tvm.error.DiagnosticError) as caught:
        tvm.script.from_source(text)
    return caught.value


def command(folder, *arguments: str) -> str:
    (folder / "wrong.py").write_text(WRONG)
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    program = [sys.executable, "-m", "tilewright", *arguments]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    return done.stderr


def test_the_exception_has_the_text_of_the_command_line(tmp_path):
    assert str(failure()) + "\n" == command(tmp_path, "check", "wrong.py").replace("wrong.py", "<text>")


def test_the_exception_has_the_fields_of_json(tmp_path):
    text = command(tmp_path, "check", "wrong.py", "--error-format", "json")
    lines = text.replace("wrong.py", "<text>").splitlines()
    found = failure().diagnostics
    assert len(lines) == len(found) == 3
    for line, one in zip(lines, found, strict=True):
        said = json.loads(line)
        assert (said["severity"], said["code"], said["message"]) == (one.severity, one.code, one.message)
        assert (tuple(said["notes"]), said["help"], said["rendered"]) == (one.notes, one.help, one.rendered)
        assert [vars(span) for span in one.spans] == said["spans"]


def test_the_parts_of_a_diagnostic():
    first, second, third = failure().diagnostics
    assert (first.code, first.severity) == ("TW0304", "error")
    assert (first.span.line, first.span.column, first.span.end_column) == (6, 15, 19)
    assert WRONG.encode()[first.span.start : first.span.end] == b"i, 0"
    assert [span.primary for span in second.spans].count(True) == 1 and len(second.spans) == 3
    assert any(span.line == 10 for span in second.spans), "the place where `h` was inferred"
    assert third.help == "did you mean `R.nn.relu`?"
    with pytest.raises(AttributeError):
        first.message = "frozen"


def test_the_first_error_is_that_of_the_exception():
    error = failure()
    assert (error.code, error.file, error.line, error.column) == ("TW0304", "<text>", 6, 15)


def test_a_function_renders():
    seen = []

    def render(context: diagnostics.DiagnosticContext) -> str:
        seen.append(context)
        return ", ".join(f"{one.code} at line {one.span.line}" for one in context.diagnostics)

    before = str(failure())
    diagnostics.override_renderer(render)
    assert str(failure()) == "TW0304 at line 6, TW0305 at line 11, TW0202 at line 12"
    assert seen[0].render() == before
    diagnostics.override_renderer(lambda context: seen.append(context))
    assert str(failure()) == before and len(seen) == 2, "a function that gives no text"
    diagnostics.override_renderer(None)
    assert str(failure()) == before and len(seen) == 2


def test_exceptions_of_a_renderer_propagate():
    def render(_):
        raise KeyError("mine")

    diagnostics.override_renderer(render)
    with pytest.raises(KeyError, match="mine"):
        tvm.script.from_source(WRONG)


def test_errors_of_calls_have_a_code_and_a_diagnostic():
    module = tvm.script.from_source("""\
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        z = R.add(x, y)
        return z
""")
    machine = tvm.relax.VirtualMachine(tvm.relax.build(module, "llvm"), tvm.cpu())
    import numpy as np

    with pytest.raises(tvm.TVMError) as caught:
        machine["main"](*(tvm.nd.array(np.zeros(n, "float32")) for n in (3, 4)))
    error = caught.value
    assert error.code == "TW0762" and str(error).startswith("error[TW0762]: main: argument 1")
    (one,) = error.diagnostics
    assert (one.code, one.spans, one.rendered) == ("TW0762", (), str(error))


def test_errors_without_a_diagnostic_have_none():
    with pytest.raises(tvm.TVMError) as caught:
        tvm.cpu(-1)
    assert caught.value.diagnostics == () and caught.value.code is None
