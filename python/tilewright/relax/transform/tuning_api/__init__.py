"""Choices between ways to transform a module: knobs with choices, traces of what was chosen, records of how it ran."""

from .database import Database, JSONDatabase, TuningRecord
from .default_functions import (
    default_consider_eval_passes,
    default_evaluate,
    default_generate_candidate,
    select_best_candidate,
)
from .primitives import Choice, Knob, Trace, get_trace

__all__ = [
    "Choice", "Database", "JSONDatabase", "Knob", "Trace", "TuningRecord", "default_consider_eval_passes",
    "default_evaluate", "default_generate_candidate", "get_trace", "select_best_candidate",
]  # fmt: skip
