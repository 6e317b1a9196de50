"""`import tvm` means this package: the same module objects, the names as the documents print them."""

import textwrap

import pytest

import tilewright


@pytest.fixture
def script(python, tmp_path):
    """Runs a script through `python -m tilewright.compat`."""

    def run(text, *arguments):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(text))
        return python("-m", "tilewright.compat", path, *arguments)

    return run


def test_both_names_are_one_module(script):
    done = script("""
        import sys
        import tilewright
        import tvm
        import tvm.relax.vm
        import tvm.nd, tvm.transform
        from tvm import relax, nd
        from tvm.ir.module import IRModule
        from tvm.runtime.ndarray import NDArray
        assert tvm is tilewright and relax is tilewright.relax and nd is tvm.runtime.ndarray
        assert IRModule is tilewright.IRModule and NDArray is tilewright.nd.NDArray
        assert tvm.__spec__.name == "tilewright" and tvm.relax.__spec__.name == "tilewright.relax"
        print(IRModule, relax.vm.Executable, relax.VirtualMachine, NDArray, tvm.TVMError)
    """)
    assert done.returncode == 0, done.stderr
    names = ("ir.module.IRModule", "relax.vm.Executable", "relax.vm.VirtualMachine", "runtime.ndarray.NDArray")
    assert done.stdout == " ".join(f"<class 'tvm.{name}'>" for name in (*names, "error.TVMError")) + "\n"


def test_missing_names_are_errors(script):
    done = script("import tvm.nope")
    assert done.returncode == 1
    assert "No module named 'tvm.nope'" in done.stderr


def test_the_script_is_the_main_program(script):
    done = script(
        """
        import sys
        from pathlib import Path
        assert __name__ == "__main__" and sys.modules["__main__"].__file__ == __file__
        assert Path(sys.path[0]) == Path(__file__).parent
        print(sys.argv[1:])
        sys.exit(7)
        """,
        "a",
        "-b",
    )
    assert (done.returncode, done.stdout) == (7, "['a', '-b']\n"), done.stderr


def test_tracebacks_begin_in_the_script(script):
    done = script("def f():\n    raise KeyError('x')\nf()\n")
    assert done.returncode == 1
    assert "compat" not in done.stderr and done.stderr.count("script.py") == 2
    assert done.stderr.endswith("KeyError: 'x'\n")


def test_started_processes_know_the_name_too(script):
    done = script("""
        import multiprocessing
        import tvm

        def name(_):
            import tvm
            return tvm.__name__

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(name, [1]))
    """)
    assert done.stdout == "['tilewright']\n", done.stderr


def test_an_installed_tvm_is_hidden_and_said_so(python, tmp_path):
    (tmp_path / "tvm").mkdir()
    (tmp_path / "tvm" / "__init__.py").write_text("")
    (tmp_path / "main.py").write_text("import tilewright.compat.tvm\nimport tvm\nprint(tvm.__name__)\n")
    done = python(tmp_path / "main.py")
    assert done.stdout == "tilewright\n"
    assert done.stderr.count("tilewright: `import tvm` means tilewright here") == 1


def test_without_the_alias_names_are_our_own(python):
    done = python("-c", "import tilewright; print(tilewright.IRModule)")
    assert done.stdout == "<class 'tilewright.ir.module.IRModule'>\n", done.stderr


def test_importing_does_not_import_numpy(python):
    done = python("-c", "import sys, tilewright; print('numpy' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


def test_compiler_modules_are_imported_on_first_use(python):
    code = """
import sys, tilewright
assert not {"tilewright.relax", "tilewright.tir", "tilewright.te", "tilewright.driver"} & set(sys.modules)
assert set(tilewright.__all__) <= set(dir(tilewright))
module = tilewright.ir.load_json(sys.argv[1])
assert type(module["main"]).__name__ == "Function" and "tilewright.relax" in sys.modules
assert tilewright.relax is sys.modules["tilewright.relax"] and tilewright.build is tilewright.driver.build
try:
    tilewright.nothing
except AttributeError as error:
    print(error)
"""
    module = tilewright.ir.save_json(
        tilewright.script.from_source("""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1,), "float32")):
        return x
""")
    )
    done = python("-c", code, module)
    assert done.stdout.strip() == "module 'tilewright' has no attribute 'nothing'", done.stderr
