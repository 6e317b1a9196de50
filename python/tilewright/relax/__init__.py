"""The graph level: functions over tensors, passes on them, building and running."""

from . import analysis, expr, pipeline, transform, vm
from .expr import Function
from .vm import Executable, VirtualMachine
from .vm_build import build

__all__ = ["Executable", "Function", "VirtualMachine", "analysis", "build", "expr", "pipeline", "transform", "vm"]
