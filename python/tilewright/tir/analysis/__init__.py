"""Questions about loop functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import _core
from ..._core import (
    detect_buffer_access_lca,
    estimate_tir_flops,
    expr_deep_equal,
    find_anchor_block,
)
from ...error import TVMError
from ...ir.container import Map
from ..function import PrimFunc

__all__ = [
    "OOBChecker", "assert_pure_function", "calculate_allocated_bytes", "calculate_constant_bytes",
    "calculate_workspace_bytes", "detect_buffer_access_lca", "estimate_tir_flops", "expr_deep_equal",
    "find_anchor_block", "get_block_access_region", "get_block_read_write_region", "is_pure_function",
    "undefined_vars", "verify_gpu_code", "verify_memory", "verify_ssa", "verify_well_formed",
]  # fmt: skip


def is_pure_function(func: PrimFunc) -> bool:
    """Whether a PrimFunc touches nothing but its own memory."""
    return _core.impurity(func) is None


def assert_pure_function(func: PrimFunc) -> bool:
    """True for a pure function; raises with the reason for another one."""
    if (reason := _core.impurity(func)) is not None:
        raise AssertionError(reason)
    return True


def undefined_vars(node: Any, defs: Any = None) -> Any:
    """The variables that a statement uses and does not define."""
    return _core.undefined_vars(node, list(defs or []))


def get_block_access_region(block: Any, buffer_var_map: Any = None) -> Any:
    """The regions that a block reads, writes, and lets a foreign function touch."""
    return _core.get_block_access_region(block)


def get_block_read_write_region(block: Any, buffer_var_map: Any = None) -> Any:
    """The regions that a block reads and writes."""
    return _core.get_block_access_region(block)[:2]


def calculate_workspace_bytes(func: PrimFunc, workspace_byte_alignment: int = 1) -> int:
    """The bytes that a PrimFunc's temporaries take."""
    return _core.calculate_workspace_bytes(func, workspace_byte_alignment)


def verify_well_formed(obj: Any, assert_mode: bool = True) -> bool:
    """Whether the verifier accepts the function or module; with `assert_mode` it raises what is wrong."""
    faults = _core.faults(obj)
    if faults and assert_mode:
        raise ValueError("\n".join(faults))
    return not faults


def verify_ssa(func: PrimFunc) -> bool:
    """Whether every variable is defined in one place."""
    return _core.verify_ssa(func)


def verify_memory(func: PrimFunc) -> bool:
    """Whether the host leaves the memory of the function's device alone; true for a device that is the host."""
    if "target" not in func.attrs:
        raise TVMError("verify_memory needs the attribute `target` of the function: use BindTarget first")
    return func.attrs["target"].kind.name in ("llvm", "c") or not _core.touched_by_host(func)


def verify_gpu_code(func: PrimFunc, constraints: Mapping[str, int]) -> bool:
    """Whether the function's kernels need no more than the limits: threads, memory of a block, bytes of a vector."""
    known = {
        "max_local_memory_per_block", "max_shared_memory_per_block", "max_threads_per_block", "max_thread_x",
        "max_thread_y", "max_thread_z", "max_vthread", "max_vector_bytes", "max_kernels",
    }  # fmt: skip
    if unknown := constraints.keys() - known:
        raise TVMError(f"verify_gpu_code knows no limit {sorted(unknown)[0]!r}: there are {', '.join(sorted(known))}")
    needs = _core.kernel_needs(func)
    return all(needs.get(name, 0) <= int(limit) for name, limit in constraints.items())


def calculate_allocated_bytes(func_or_mod: Any) -> Any:
    """The bytes of the allocations of each function by the scope of their memory; of one function, under `main`."""
    if isinstance(func_or_mod, PrimFunc):
        return Map({"main": Map(_core.allocated_bytes(func_or_mod))})
    functions = {var.name_hint: func for var, func in func_or_mod.functions_items() if isinstance(func, PrimFunc)}
    return Map({name: Map(_core.allocated_bytes(func)) for name, func in functions.items()})


def calculate_constant_bytes(func: PrimFunc, constant_byte_alignment: int) -> int:
    """The bytes of the constants that the function carries, each rounded up to a multiple of the alignment."""
    return _core.constant_bytes(func, constant_byte_alignment)


def OOBChecker() -> Any:
    """A pass that raises `ScheduleError` where an iteration certainly leaves a buffer."""
    from ..schedule import ScheduleError

    def check(module: Any, _context: Any) -> Any:
        for _, function in module.functions_items():
            if isinstance(function, PrimFunc) and (found := _core.out_of_bounds(function)):
                raise ScheduleError("\n".join(found))
        return module

    return _core.Pass.from_python(check, "tir.analysis.OOBChecker", 0)
