"""The type stubs are what the script writes, and name all that there is."""

import ast
import subprocess
import sys
from pathlib import Path

import tilewright
from tilewright import _core

ROOT = Path(__file__).parents[2]
PACKAGE = Path(tilewright.__file__).parent


def test_the_stubs_are_up_to_date():
    command = [sys.executable, str(ROOT / "scripts" / "stubs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"run scripts/stubs.py:\n{done.stdout}{done.stderr}"


def test_the_stub_names_everything_of_the_extension():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    public = {name: value for name, value in vars(_core).items() if not name.startswith("__")}
    assert functions | set(classes) == set(public)
    for name, node in classes.items():
        members = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
        members |= {inner.target.id for inner in node.body if isinstance(inner, ast.AnnAssign)}
        assert {m for m in vars(public[name]) if not m.startswith("_")} <= members, name


def test_the_stubs_of_operators_name_every_operator():
    for name in _core.graph_op_names():
        family, _, short = name.rpartition(".")
        path = PACKAGE / "relax" / "op" / f"{family or '__init__'}.pyi"
        names = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        assert short in names, name
