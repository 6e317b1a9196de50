"""The graph level: functions over tensors, passes on them, building and running."""

from ..ir.expr import PrimExpr
from ..ir.global_info import VDevice
from . import analysis, expr, pipeline, struct_info, transform, vm
from .expr import *
from .pipeline import get_pipeline
from .struct_info import *
from .vm import Executable, VirtualMachine, VMInstrumentReturnKind
from .vm_build import build

__all__ = [
    "Executable",
    "PrimExpr",
    "VDevice",
    "VMInstrumentReturnKind",
    "VirtualMachine",
    "analysis",
    "build",
    "expr",
    "get_pipeline",
    "pipeline",
    "struct_info",
    "transform",
    "vm",
    *expr.__all__,
    *struct_info.__all__,
]
