"""Tuning: schedules that are found by measuring.

`tune_tir` searches schedules of a PrimFunc, `relax_integration.tune_relax` those of all kernels of a model. What was
measured goes into a `Database`, from which `tir_integration.compile_tir` makes a schedule again, and
`relax.transform.MetaScheduleApplyDatabase` replaces the kernels of a module. Candidates are compiled and run in another
process, beside the kernel that the default rules make, and a candidate with another result counts as failed.
"""

from . import (
    arg_info,
    builder,
    cost_model,
    database,
    extracted_task,
    relax_integration,
    runner,
    search_strategy,
    space_generator,
    tir_integration,
    tune,
    tune_context,
    utils,
)
from .builder import Builder
from .cost_model import CostModel
from .database import Database
from .extracted_task import ExtractedTask
from .runner import Runner
from .search_strategy import MeasureCandidate, SearchStrategy
from .space_generator import SpaceGenerator
from .tir_integration import tune_tir
from .tune import tune_tasks
from .tune_context import TuneContext
from .utils import derived_object

__all__ = [
    "Builder",
    "CostModel",
    "Database",
    "ExtractedTask",
    "MeasureCandidate",
    "Runner",
    "SearchStrategy",
    "SpaceGenerator",
    "TuneContext",
    "arg_info",
    "builder",
    "cost_model",
    "database",
    "derived_object",
    "extracted_task",
    "relax_integration",
    "runner",
    "search_strategy",
    "space_generator",
    "tir_integration",
    "tune",
    "tune_context",
    "tune_tasks",
    "tune_tir",
    "utils",
]
