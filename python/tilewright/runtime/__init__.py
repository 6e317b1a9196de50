"""Tensors, devices, functions found by name, files of compiled functions.

`set_num_threads(n)` says how many threads a parallel loop may use (0: one for each processor, or the environment's
`TILEWRIGHT_NUM_THREADS`), `set_affinity([…])` on which processors they run. Results do not depend on either.
"""

from ..ir.container import Array, Map
from . import container, module, ndarray, object, object_path, profiling
from .container import ADT, ShapeTuple, String
from .data_type import DataType, DataTypeCode
from .device import (
    Device,
    available_processors,
    cpu,
    cuda,
    device,
    num_threads,
    set_affinity,
    set_num_threads,
)
from .module import Executable, Module, load_module
from .ndarray import NDArray, Tensor, empty, from_dlpack, tensor
from .object import Object
from .object_generic import const, convert, convert_to_object
from .object_path import ObjectPath
from .packed_func import (
    PackedFunc,
    get_global_func,
    list_global_func_names,
    register_func,
    register_global_func,
    remove_global_func,
)

__all__ = [
    "ADT",
    "Array",
    "DataType",
    "DataTypeCode",
    "Device",
    "Executable",
    "Map",
    "Module",
    "NDArray",
    "Object",
    "ObjectPath",
    "PackedFunc",
    "ShapeTuple",
    "String",
    "Tensor",
    "available_processors",
    "const",
    "container",
    "convert",
    "convert_to_object",
    "cpu",
    "cuda",
    "device",
    "empty",
    "from_dlpack",
    "get_global_func",
    "list_global_func_names",
    "load_module",
    "module",
    "ndarray",
    "num_threads",
    "object",
    "object_path",
    "profiling",
    "register_func",
    "register_global_func",
    "remove_global_func",
    "set_affinity",
    "set_num_threads",
    "tensor",
]
