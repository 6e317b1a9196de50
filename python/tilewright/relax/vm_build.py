"""From a module to an executable."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..error import TVMError
from ..ir.transform import Sequential
from ..target import Target
from .pipeline import get_pipeline
from .transform import BindParams
from .transform.transform import by_rules
from .transform.tuning import current_database


def build(
    mod: _core.IRModule | _core.PrimFunc | _core.Function,
    target: str | dict[str, Any] | Target | None = None,
    params: dict[str, Any] | None = None,
    relax_pipeline: str | _core.Pass | None = "default",
    tir_pipeline: str | None = "default",
    exec_mode: str = "bytecode",
    *,
    system_lib: bool | None = None,
    pipeline: str | _core.Pass | None = None,
    progress: bool = False,
    model: _core.ModelInfo | None = None,
) -> _core.Executable:
    """Compiles every function of the module for `target`: the one in scope, else this machine's processor.

    `params` binds parameters of `main` to tensors first. `relax_pipeline` (or `pipeline`), a pass or the
    name of a pipeline, replaces `default_build` and has to leave the same form; with a
    `relax_pipeline` of None the module is what that leaves already, and no pass is run. Loops are lowered in one way
    only, the `default` one of `tir_pipeline`. Both names of `exec_mode`, `bytecode` and `compiled`,
    mean the same: kernels are machine code, and the machine's program calls them. With `progress`, standard error shows
    what the compiler is doing, and how many kernels are done, while it is a terminal. `model` is what
    the executable keeps for sessions of the model that it is compiled of.
    """
    if exec_mode not in ("bytecode", "compiled"):
        raise TVMError(f"exec_mode is `bytecode` or `compiled`, found `{exec_mode}`")
    if tir_pipeline not in ("default", None):
        raise TVMError(f"loops are lowered in one way: tir_pipeline is `default`, found {tir_pipeline!r}")
    if system_lib:
        raise TVMError("an executable is a file of its own: there is no system library")
    if pipeline is not None and relax_pipeline != "default":
        raise TVMError("`pipeline` and `relax_pipeline` are two names of one argument: give one of them")
    chosen = relax_pipeline if pipeline is None else pipeline
    if params:
        mod = BindParams("main", params)(mod)
    if chosen == "default":
        chosen = _tuned_pipeline(target)
        if isinstance(mod, _core.IRModule) and (own := by_rules({})) is not None:
            mod = own(mod)
    elif isinstance(chosen, str):
        chosen = get_pipeline(chosen, target)
    elif chosen is None:
        chosen = Sequential([])
    target = Target.choose(target)
    target.require_built()
    return _core.build(mod, target, chosen, progress, model)


def _tuned_pipeline(target: str | dict[str, Any] | Target | None) -> _core.Pass | None:
    """The default pipeline with the schedules of the database in scope; `None` where there is none."""
    database = current_database()
    return None if database is None else _core.pipeline_with_database(database._in_core(), Target.choose(target))
