"""What tests of schedules ask."""

from __future__ import annotations

import json
from typing import Any

from ...ir import assert_structural_equal
from .schedule import Schedule
from .trace import Trace

__all__ = ["assert_structural_equal_ignore_global_symbol", "verify_trace_roundtrip"]


def assert_structural_equal_ignore_global_symbol(func1: Any, func2: Any, *args: Any, **kwargs: Any) -> None:
    """Raises unless two functions have the same structure, whatever their global symbols are."""
    bare = [func.without_attr("global_symbol") if "global_symbol" in func.attrs else func for func in (func1, func2)]
    assert_structural_equal(*bare, *args, **kwargs)


def verify_trace_roundtrip(
    sch: Schedule, mod: Any, *, debug_mask: Any = "all", text_format: Any = ("python", "json")
) -> Schedule:
    """Does a schedule's trace again on the module, by its text forms; gives the last, raises unless it is the same.

    Every step checks what it makes, whatever `debug_mask` says.
    """
    formats = [text_format] if isinstance(text_format, str) else list(text_format)
    again = sch
    for form in formats:
        again = Schedule(mod, debug_mask=debug_mask)
        if form == "json":
            Trace.apply_json_to_schedule(json.loads(json.dumps(sch.trace.as_json())), again)
        else:
            exec("\n".join(sch.trace.as_python()), {"sch": again})  # The text is the trace's own.
        assert_structural_equal(again.mod, sch.mod)
    return again
