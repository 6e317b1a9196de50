"""Tensors, devices, functions found by name, files of compiled functions.

`set_num_threads(n)` says how many threads a parallel loop may use (0: one for each processor, or the environment's
`TILEWRIGHT_NUM_THREADS`), `set_affinity([…])` on which processors they run. Results do not depend on either.
"""

from ..ir.container import Array, Map
from . import container, module, ndarray, object, object_path, packed_func, params, profiling
from .container import ADT, ShapeTuple, String
from .data_type import DataType, DataTypeCode
from .device import (
    Device,
    available_processors,
    cl,
    cpu,
    cuda,
    device,
    ext_dev,
    gpu,
    hexagon,
    metal,
    num_threads,
    opencl,
    rocm,
    set_affinity,
    set_num_threads,
    vpi,
    vulkan,
    webgpu,
)
from .module import Executable, Module, enabled, load_module, system_lib
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
from .params import load_param_dict, load_param_dict_from_file, save_param_dict, save_param_dict_to_file

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
    "cl",
    "const",
    "container",
    "convert",
    "convert_to_object",
    "cpu",
    "cuda",
    "device",
    "empty",
    "enabled",
    "ext_dev",
    "from_dlpack",
    "get_global_func",
    "gpu",
    "hexagon",
    "list_global_func_names",
    "load_module",
    "load_param_dict",
    "load_param_dict_from_file",
    "metal",
    "module",
    "ndarray",
    "num_threads",
    "object",
    "object_path",
    "opencl",
    "packed_func",
    "params",
    "profiling",
    "register_func",
    "register_global_func",
    "remove_global_func",
    "rocm",
    "save_param_dict",
    "save_param_dict_to_file",
    "set_affinity",
    "set_num_threads",
    "system_lib",
    "tensor",
    "vpi",
    "vulkan",
    "webgpu",
]
