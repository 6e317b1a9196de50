"""The compiled core: what `crates/tilewright-py` gives to Python. Made by `scripts/stubs.py`."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, Self, final

from tilewright.ir.module import GlobalVar
from tilewright.relax.dpl.pattern import PatternSeq
from tilewright.relax.expr import Function
from tilewright.tir.function import PrimFunc

__version__: str

@final
class Device:
    """A memory space for tensors: a kind of device and its index."""

    def __new__(cls, kind: str, index: int) -> Self: ...
    MASK2STR: dict
    def __hash__(self) -> int: ...
    @property
    def device_id(self) -> int: ...
    @property
    def device_name(self) -> Any:
        """What its maker calls the device; `None` for one that is not there."""

    @property
    def device_type(self) -> int:
        """DLPack's number for the kind of device."""

    @property
    def exist(self) -> bool:
        """Whether the device is there and can be used."""

    def from_script(self) -> Any:
        """The device as scripts name it among those of their module: `llvm:0`."""

    @property
    def max_threads(self) -> int:
        """How many threads a kernel may use here, the caller's own included; 0 for a device that is not there."""

    @property
    def multi_processor_count(self) -> int:
        """How many processors the process may use; 0 for a device that is not there."""

    def sync(self) -> None:
        """Waits until the device has done its work. The processor always has when a call returns."""

@final
class NDArray:
    """A tensor. Clones, views through indices or DLPack, and arguments of callbacks share its memory."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __bool__(self) -> bool: ...
    def __delitem__(self, key: Any) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __float__(self) -> float: ...
    def __getitem__(self, key: Any) -> NDArray: ...
    def __int__(self) -> int: ...
    def __iter__(self) -> Iterator[NDArray]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, key: Any, values: Any) -> None: ...
    def _create_view(self, shape: Any, dtype: Any = None, relative_byte_offset: int = 0) -> Any:
        """A tensor of another shape, and perhaps type, over this one's memory, from so many bytes after its first
        element on.
        """

    def asnumpy(self) -> Any:
        """As `numpy`."""

    def astype(self, dtype: Any) -> NDArray:
        """A tensor with the elements converted, as programs of the compiler convert them; a copy in any case."""

    @staticmethod
    def copy_of(source: Any, device: Device) -> NDArray:
        """A copy of anything with `__dlpack__`."""

    def copyfrom(self, values: Any) -> NDArray:
        """Overwrites the elements with values that NumPy converts and broadcasts; gives the tensor back."""

    def copyto(self, target: NDArray | Device) -> NDArray:
        """Copies the values into another tensor of the same shape and type, or into a new one on a device."""

    @property
    def device(self) -> Device: ...
    @property
    def dtype(self) -> str: ...
    @staticmethod
    def empty(shape: Sequence[int], dtype: Any, device: Device) -> NDArray:
        """A tensor of zeros."""

    @staticmethod
    def from_bytes(dtype: Any, shape: Sequence[int], data: bytes) -> NDArray:
        """A tensor of these bytes, in row-major order."""

    @staticmethod
    def from_dlpack(source: Any) -> NDArray:
        """A tensor over the memory of anything with `__dlpack__`."""

    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous in row-major order."""

    def is_exclusive(self) -> Any:
        """Whether the memory is this tensor's alone: no other tensor shares it, and it may be written to. Results
        that are arguments of a call, constants of a program, or two of one memory, are not.
        """

    def item(self) -> Any:
        """The only element, as a number of Python."""

    @property
    def ndim(self) -> int: ...
    def numpy(self) -> Any:
        """A NumPy array with a copy of the values. NumPy has no `bfloat16`: the error says what to do instead."""

    def reshape(self, shape: Sequence[int]) -> NDArray:
        """The same elements in another shape: a view where they are contiguous, else a copy."""

    def same_as(self, other: Any) -> bool:
        """Whether both are the same elements of the same memory."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int:
        """The number of elements."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements from one to the next of each dimension."""

    def to(self, device: Device) -> NDArray:
        """As `to_device`."""

    def to_device(self, device: Device) -> NDArray:
        """The tensor on a device: itself where it lives there already."""

    def to_dlpack(self) -> Any:
        """The tensor as a capsule of DLPack."""

    def tolist(self) -> Any:
        """The elements as lists of numbers."""

    def view(self, dtype: Any) -> NDArray:
        """The same memory with its bits read as another type of the same width."""

@final
class CheckpointFile:
    """The tensors of a checkpoint by name. `tilewright.checkpoint` makes a mapping of it."""

    def compare(self, expected: Any) -> Any:
        """Compares the tensors with names, shapes (None for any size) and data types (None for any), as a report and
        as text.
        """

    def entry(self, name: Any) -> Any:
        """Shape, stored type, data type (None where the tensor is not read), bytes and the number of the file."""

    @property
    def files(self) -> Any:
        """The files that were opened."""

    @property
    def format(self) -> Any:
        """The name of the format."""

    def get(self, name: Any) -> Any:
        """The tensor of a name."""

    def has(self, name: Any) -> Any: ...
    def metadata(self) -> Any:
        """What the files say besides the tensors. Arrays of numbers are tensors."""

    def names(self) -> Any:
        """The names of the tensors, in the order of the files."""

    @staticmethod
    def open(source: Any) -> Any:
        """Opens a file, an index or a folder, or the bytes of a file."""

    def raw(self, name: Any) -> Any:
        """The stored bytes of the tensor of a name."""

@final
class PackedFunc:
    """A function: of a machine, or by name."""

    def __call__(self, *args: Any) -> Any: ...
    @property
    def name(self) -> str: ...

@final
class RuntimeObject:
    """An object of the runtime that Python only hands on, such as a cache."""

    ...

class Object:
    """A part of the IR. The classes of the IR are this one's subclasses."""

    def __new__(cls, *args: Any, **_options: Any) -> Self: ...
    def __hash__(self) -> int: ...
    @classmethod
    def __init_subclass__(cls, kind: Any = None) -> Any:
        """Registers the class for a kind of node."""

    @classmethod
    def _make(cls, *args: Any) -> Any:
        """The result of the class's constructor for these arguments, in the order in which the class names them."""

    def same_as(self, other: Any) -> bool:
        """Whether both are the very same node."""

    def script(self, **options: Any) -> str:
        """The node as TVMScript."""

    def show(self, **options: Any) -> None:
        """Prints the script, in colour on a terminal."""

class Analyzer:
    """Facts about variables, and the questions that they answer."""

    def __new__(cls) -> Self: ...
    def _enter(self, condition: Any) -> None: ...
    def _leave(self) -> None: ...
    def bind(self, var: Any, expr: Any, allow_override: bool = False) -> None:
        """The variable has this value, or takes the values of this range."""

    def can_prove(self, expr: Any, strength: int = 0) -> bool:
        """Whether the condition certainly holds."""

    def can_prove_equal(self, lhs: Any, rhs: Any) -> bool:
        """Whether two expressions certainly are equal."""

    def canonical_simplify(self, expr: Any) -> Any:
        """The expression as a sum in a fixed order, so that equal ones are often the same."""

    def const_int_bound(self, expr: Any, dtype_bound: Any = None) -> Any:
        """The least and the greatest value that is known of an expression."""

    def int_set(self, expr: Any, dom_map: Any = None) -> Any:
        """An interval that contains every value of an expression, where variables take the values of these sets."""

    def modular_set(self, expr: Any) -> Any:
        """The known remainder of an expression."""

    def rewrite_simplify(self, expr: Any) -> Any:
        """The same by rewrite rules."""

    def simplify(self, expr: Any, steps: int = 2) -> Any:
        """The expression in a form that is not larger."""

    def update(self, var: Any, info: Any, override: bool = False) -> Any:
        """The variable's values are within this bound, have this remainder, or are in this set. Other facts of the
        same sort are an error, unless they are to be replaced.
        """

class BlockBuilder:
    """Builds graph functions binding by binding."""

    def __new__(cls, mod: Any = None) -> Self: ...
    def _abandon(self) -> None: ...
    def _assume_at_least(self, var: Any, least: int) -> None:
        """Tells what a symbolic dimension is: at least this."""

    def _begin_dataflow(self) -> None: ...
    def _begin_function(self, name: str, params: Any, said: Any, pure: bool) -> None: ...
    def _begin_sequence(self) -> None: ...
    def _emit_func_output(self, output: Any) -> Any: ...
    def _end_dataflow(self) -> Any: ...
    def _end_sequence(self, result: Any) -> Any:
        """The sequence that is open, with a result."""

    def _in_dataflow(self) -> bool: ...
    def _in_function(self) -> bool: ...
    def _set_params(self, params: Any) -> None: ...
    def _set_place(self, file: Any, line: Any, text: Any) -> Any:
        """Bindings emitted from here on have this line of the user's source as origin."""

    def add_func(self, func: Any, func_name: str) -> Any:
        """Adds a function to the module, under this name or one like it."""

    def begin_scope(self, params: Any = None) -> None:
        """Begins a scope of symbolic dimensions, those of the parameters."""

    def emit(self, expr: Any, name_hint: str = "") -> Any:
        """Binds the value, in normal form, to a new variable."""

    def emit_normalized(self, binding: Any) -> None:
        """Adds a binding as it is."""

    def emit_output(self, output: Any, name_hint: str = "") -> Any:
        """Binds the value to an output of the dataflow block."""

    def end_scope(self) -> None:
        """Ends the innermost scope of symbolic dimensions."""

    def finalize(self) -> IRModule:
        """The module; the builder begins anew."""

    def get(self) -> IRModule:
        """The module as it is now."""

    def get_unique_name(self, name_prefix: str) -> str:
        """A name like this one that nothing in the current function has."""

    def lookup_binding(self, var: Any) -> Any:
        """The value that a variable was bound to, or None."""

    def match_cast(self, value: Any, struct_info: Any, name_hint: str = "") -> Any:
        """The value, checked at run time against the struct info."""

    def normalize(self, expr: Any) -> Any:
        """The expression in normal form, with its struct info by the rules; what it needs is emitted."""

    def update_func(self, gv: Any, updated_func: Any) -> None:
        """Replaces a function of the module."""

class DFPattern:
    """A description of graph expressions. Each is its own identity: in a match it matches one expression."""

    def __add__(self, other: Any) -> DFPattern: ...
    def __and__(self, other: Any) -> DFPattern: ...
    def __call__(self, *args: Any, varg_default_wildcard: bool = False, add_constraint: bool = True) -> DFPattern:
        """A call of what this describes with these arguments; with `varg_default_wildcard` they are only the first
        ones.
        """

    def __getitem__(self, key: Any) -> Any: ...
    def __hash__(self) -> int: ...
    def __invert__(self) -> DFPattern: ...
    def __iter__(self) -> Any: ...
    def __mul__(self, other: Any) -> DFPattern: ...
    def __or__(self, other: Any) -> DFPattern: ...
    def __radd__(self, other: Any) -> DFPattern: ...
    def __rshift__(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The value of this is used by that of the other one only."""

    def __sub__(self, other: Any) -> DFPattern: ...
    def __truediv__(self, other: Any) -> DFPattern: ...
    def __xor__(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The value of this is used by that of the other one."""

    def _call(self, args: Any, open: bool) -> DFPattern:
        """A call of what this describes; with `open` the arguments are only the first ones."""

    def _call_parts(self) -> Any:
        """The callee and the arguments of a pattern of a call of a value, or None."""

    @staticmethod
    def _const() -> DFPattern: ...
    @staticmethod
    def _cross_call(sort: str, name: str, args: Any) -> DFPattern:
        """A call between the levels: `sort` is "call_tir", "call_dps_packed" or "call_packed"."""

    @staticmethod
    def _expr(expr: Any) -> DFPattern: ...
    def _kind(self) -> str:
        """The kind of pattern, as its class is called."""

    @staticmethod
    def _named(sort: str, name: str) -> DFPattern:
        """`sort` is "var", "dataflow_var", "global_var" or "extern"; an empty name is any."""

    @staticmethod
    def _op(name: str) -> DFPattern: ...
    @staticmethod
    def _shape(dims: Any) -> DFPattern: ...
    @staticmethod
    def _tuple(fields: Any, unordered: bool) -> DFPattern: ...
    def _tuple_fields(self) -> Any:
        """The fields of a pattern of a tuple, or None."""

    @staticmethod
    def _tuple_get(tuple: Any, index: int) -> DFPattern: ...
    @staticmethod
    def _wildcard() -> DFPattern: ...
    def dup(self) -> DFPattern:
        """The same description with an identity of its own."""

    def extract_matched_expr(self, expr: Any, var2val: Any = None) -> Any:
        """The expressions that the patterns match if an expression matches, by pattern; else None."""

    def fork_to(self, *args: DFPattern) -> None:
        """The value of this is used by those of each of the others."""

    def has_attr(self, attrs: Any) -> DFPattern:
        """A call with these attributes, among others."""

    def has_dtype(self, dtype: Any) -> DFPattern:
        """With this element type."""

    def has_shape(self, shape: Any) -> DFPattern:
        """A tensor or shape with these dimensions."""

    def has_struct_info(self, struct_info: Any) -> DFPattern:
        """Of which at least this is known."""

    def match(self, expr: Any, var2val: Any = None) -> bool:
        """Whether an expression fits. Variables are looked through by what they are bound to in `var2val`."""

    def only_used_by(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The value of this is used by that of the other one only."""

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> DFPattern:
        """This, with or without what is made around it."""

    def same_shape_as(self, *others: Any) -> DFPattern:
        """Of the shape of the values of the other patterns of the match: as the pattern that this gives says, and as
        the context whose `with` is around is told.
        """

    def used_by(self, other: DFPattern | PatternSeq, index: int = -1) -> PatternSeq:
        """The value of this is used by that of the other one."""

class PatternContext:
    """Patterns, and the connections between the values that they match."""

    def __new__(cls, incremental: bool = False) -> Self: ...
    def add(self, pattern: Any) -> Any:
        """Adds a pattern that is to be found."""

    def connect(self, producer: Any, consumer: Any, index: int, only: bool) -> None:
        """The value of the consumer uses that of the producer, as this argument (-1: as any); with `only`, it is the
        only use.
        """

    def match_dfb(self, dfb: Any) -> Any:
        """The variables that the patterns match first in the block, or None."""

class DataflowBlockRewrite:
    """Edits one dataflow block of a function."""

    def __new__(cls, dfb: Any, root_fn: Any) -> Self: ...
    def add(self, expr: Any, name: str | None = None, is_dfvar: bool = False) -> Any:
        """Adds a binding of an expression, or one that is made already."""

    def mutate_irmodule(self, irmodule: Any) -> IRModule:
        """The module with the given function replaced by its current state."""

    def mutated_dfb(self) -> Any:
        """The block as it is now."""

    def mutated_root_fn(self) -> Function:
        """The function with the block as it is now."""

    def remove_all_unused(self) -> Any:
        """Removes every unused binding."""

    def remove_unused(self, var: Any, allow_undef: bool = False) -> None:
        """Removes the binding of an unused variable."""

    def replace_all_uses(self, old_var: Any, new_var: Any) -> None:
        """Uses the new variable wherever the old one is used."""

class IRModule:
    """A module. Functions may be added and replaced; a module that was handed to a pass or compiled stays as it was
    then.
    """

    def __new__(
        cls,
        functions: dict[str | GlobalVar, PrimFunc | Function] | None = None,
        attrs: Any = None,
        global_infos: Any = None,
    ) -> Self: ...
    def __contains__(self, name: str | GlobalVar) -> bool: ...
    def __copy__(self) -> IRModule: ...
    def __deepcopy__(self, _memo: Any) -> IRModule: ...
    def __delitem__(self, key: Any) -> None: ...
    def __getitem__(self, name: str | GlobalVar) -> PrimFunc | Function: ...
    def __len__(self) -> int: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def _repr_html_(self) -> Any:
        """The script in colour, as notebooks show it."""

    @property
    def attrs(self) -> Any:
        """The attributes."""

    def clone(self) -> IRModule:
        """A module that is changed by itself."""

    @staticmethod
    def from_expr(expr: Any, functions: Any = None) -> IRModule:
        """A module of the function, under its symbol or as `main`, with others by name."""

    @property
    def functions(self) -> dict[GlobalVar, PrimFunc | Function]:
        """The functions by GlobalVar."""

    def functions_items(self) -> Any:
        """The functions with their GlobalVars, in order."""

    def get_attr(self, attr_key: Any) -> Any:
        """The attribute of this name, or None."""

    def get_global_var(self, name: str) -> GlobalVar: ...
    def get_global_vars(self) -> list[GlobalVar]: ...
    @property
    def global_infos(self) -> Any:
        """Lists of devices and the like, by name."""

    def replace_global_vars(self, replacements: Any) -> Any:
        """A module whose functions have other names, each reference to them too: a dict from old names or GlobalVars
        to new ones. A symbol that is the old name becomes the new one.
        """

    def script(self, **options: Any) -> str:
        """The module as TVMScript; see `tilewright.script` for the options. With `show_meta` it has the constants'
        values too, so that it reads back anywhere.
        """

    def show(self, **options: Any) -> None:
        """Prints the script, in colour on a terminal."""

    def update(self, other: Any) -> Any:
        """Adds or replaces the functions of a dict or of a module."""

    def update_func(self, var: Any, func: Any) -> None:
        """Adds or replaces one function."""

    def update_global_info(self, name: str, global_info: Any) -> None:
        """Sets one of the lists of global infos."""

    def with_attr(self, attr_key: Any, attr_value: Any) -> Any:
        """A module with an attribute more, or with another value for it."""

    def with_attrs(self, attr_map: Any) -> IRModule:
        """A module with these attributes more."""

    def without_attr(self, attr_key: Any) -> Any:
        """A module without an attribute."""

@final
class ObjectPath:
    """The way from a root to a part of it, such as `<root>.functions[main].body.blocks[0]`."""

    def __hash__(self) -> int: ...
    def __len__(self) -> int: ...
    def array_index(self, index: int) -> ObjectPath: ...
    def attr(self, attr_key: str) -> ObjectPath:
        """The path to an attribute of the node at this path."""

    def get_prefix(self, length: int) -> ObjectPath:
        """The path of the first `length` nodes on the way, the root being one."""

    def is_prefix_of(self, other: Any) -> bool: ...
    def map_value(self, key: Any) -> ObjectPath:
        """The path to the value of a key: a text, or a GlobalVar."""

    def missing_array_element(self, index: int) -> ObjectPath: ...
    def missing_attribute(self, attr_key: str) -> ObjectPath: ...
    def missing_map_entry(self, key: Any = None) -> ObjectPath: ...
    @property
    def parent(self) -> ObjectPath | None:
        """The path without its last step; `None` for the root."""

    @staticmethod
    def root(root_name: Any = None) -> ObjectPath:
        """The path of the root itself."""

class Pass:
    """A pass: of the compiler, of the user, or several in order."""

    def __new__(cls, *_args: Any, **given: Any) -> Self: ...
    def __call__(self, module: IRModule) -> IRModule: ...
    @staticmethod
    def from_python(function: Callable[..., IRModule], name: str, opt_level: int, required: Any = Ellipsis) -> Pass:
        """A Python function from a module and a context to a module; the passes of these names run before it."""

    @property
    def info(self) -> Any:
        """The description for instruments: its name, the level at which it runs, and the passes that it requires."""

    @property
    def name(self) -> str: ...
    @property
    def opt_level(self) -> int: ...

@final
class Sequential:
    """Passes one after the other, as one."""

    def __new__(
        cls,
        passes: Any = None,
        opt_level: Any = None,
        name: str = "sequential",
        required: Any = None,
        traceable: bool = False,
    ) -> Self: ...
    @property
    def passes(self) -> Any:
        """The passes in order."""

class Target:
    """A machine to compile for. Python's own class adds `with`."""

    def __new__(cls, target: str | Target, host: Target | None = None) -> Self: ...
    def __hash__(self) -> int: ...
    @property
    def attrs(self) -> dict[str, Any]:
        """The options that decide the code."""

    @property
    def features(self) -> list[str]:
        """The extensions of the instruction set that kernels may use, by LLVM's names."""

    @property
    def kind_name(self) -> str:
        """The kind's name, `llvm`, `cuda` or `ext_dev`."""

    @property
    def machine(self) -> str:
        """The preset whose numbers describe the processor."""

    @property
    def mcpu(self) -> str:
        """LLVM's name of the processor."""

    @property
    def mtriple(self) -> str:
        """LLVM's name of machine, system and object format."""

    @property
    def options(self) -> Any:
        """The options in the text: lists where several words are allowed, integers, else texts."""

    @property
    def text(self) -> str:
        """The text that the target was made from."""

    @property
    def units(self) -> Any:
        """The matrix units that kernels may use, by LLVM's names."""

@final
class BlockRV:
    """A block of a schedule."""

    def __new__(cls) -> Self: ...
    def __hash__(self) -> int: ...
    def same_as(self, other: Any) -> Any:
        """Whether it is the same handle."""

@final
class LoopRV:
    """A loop of a schedule."""

    def __new__(cls) -> Self: ...
    def __hash__(self) -> int: ...
    def same_as(self, other: Any) -> Any:
        """Whether it is the same handle."""

@final
class ExprRV:
    """A number that a schedule has drawn."""

    def __new__(cls) -> Self: ...
    def __hash__(self) -> int: ...
    def same_as(self, other: Any) -> Any:
        """Whether it is the same handle."""

class Schedule:
    """A schedule in the making. Python's own class adds a method for each primitive."""

    def __new__(
        cls,
        mod: Any,
        *,
        debug_mask: Any = None,
        error_render_level: str = "detail",
        seed: Any = None,
        enable_check: bool = True,
    ) -> Self: ...
    def _apply(self, lines: Any) -> Any:
        """Does what the lines of a trace say, with the names that they give to handles."""

    def _call(self, name: Any, args: Any, kwargs: Any) -> Any:
        """Calls a primitive with arguments by position and by name; gives nothing, a handle, or a list of handles."""

    def _calls(self, first: Any) -> Any:
        """The calls from this number on: each the name of its primitive, its arguments and its handles."""

    def _can(self, name: Any, args: Any) -> Any:
        """Whether a primitive could be called so, which it is not."""

    def _register_intrinsic(self, name: Any, desc: Any, implementation: Any) -> Any:
        """Gives a computation, and what does the same, a name for `tensorize`."""

    def copy(self) -> Any:
        """Another schedule that begins where this one is, whose handles are these."""

    def fork_seed(self) -> Any:
        """A seed for another schedule."""

    @property
    def func_working_on(self) -> Any:
        """The function that primitives work on which begin with a name."""

    def get(self, handle: Any) -> Any:
        """The block, the loop or the number of a handle."""

    @property
    def mod(self) -> Any:
        """The module as it is now."""

    def remove_rv(self, rand_var_rv: Any) -> Any:
        """Forgets a handle: it stands for nothing from now on."""

    def seed(self, seed: Any) -> Any:
        """Later draws follow from this number."""

    def work_on(self, func_name: Any) -> Any:
        """Primitives that begin with a name work on this function from now on."""

@final
class StmtRef:
    """A loop or a block of a schedule's module."""

    def __hash__(self) -> int: ...
    def dependencies(self, schedule: Any) -> Any:
        """How the blocks directly inside of a block depend on each other: the earlier, the later, and the kind's
        number.
        """

    def flags(self, schedule: Any) -> Any:
        """What is known of a block: its axes are affine, its reads are covered, its stages are a pipeline."""

    @property
    def is_block(self) -> Any:
        """Whether it is a block's."""

    @staticmethod
    def of(schedule: Any, object: Any) -> Any:
        """Where the loop or block is that a handle stands for, or that is this very statement; `None` where it is
        gone.
        """

    def parent(self, schedule: Any) -> Any:
        """The innermost loop or block around it."""

    def replace(self, schedule: Any, stmt: Any) -> Any:
        """Puts another loop or block in the place of one."""

    def seq_index(self, schedule: Any) -> Any:
        """Its number among the statements of the sequence around it; -1 where there is none."""

    def stmt(self, schedule: Any) -> Any:
        """The block or the loop that it refers to; `None` where it is gone."""

@final
class TuningDatabase:
    """Workloads and records, in memory or in files."""

    def __new__(cls, workloads: Any = None, records: Any = None) -> Self: ...
    def commit(self, record: Any) -> Any: ...
    def commit_workload(self, function: Any) -> Any:
        """Adds a function, unless it is there; gives its key."""

    def function(self, key: Any) -> Any:
        """The function of a key."""

    def key_of(self, function: Any) -> Any:
        """The key of a function, or of one like it; `None` where it is not there."""

    def keys(self) -> Any:
        """The keys of all workloads, in the order in which they came."""

    def merge(self, other: Any) -> Any:
        """Adds all of another database."""

    def records(self) -> Any:
        """All records, in the order in which they came."""

    def top(self, key: Any, machine: Any, count: Any) -> Any:
        """The best records of a workload; of one machine's processor where that is given."""

@final
class TuningSearch:
    """A search in a space, step by step."""

    def __new__(cls, function: Any, target: Any, strategy: Any, seed: Any, schedules: Any = None) -> Self: ...
    def learn(self, number: Any, cost: Any) -> Any:
        """Tells what a candidate of the last proposal cost, by its number."""

    def propose(self, count: Any) -> Any:
        """Traces that were never proposed, so many at most."""

@final
class Executable:
    """Compiled functions and their constants, to be run or saved."""

    def __call__(self, *args: Any) -> Any: ...
    def __getitem__(self, name: str) -> PackedFunc: ...
    def as_python(self) -> str:
        """The program of the machine as a listing in Python's syntax, one statement for each instruction."""

    def as_text(self) -> str:
        """The program of the machine as text."""

    @property
    def entry_func(self) -> Any:
        """The only function."""

    @property
    def entry_name(self) -> Any:
        """The name by which programs ask for the only function."""

    def export_library(
        self,
        file_name: Any,
        fcompile: Any = None,
        addons: Any = None,
        workspace_dir: Any = None,
        **options: Any,
    ) -> None:
        """Writes the executable to a file. Whatever the name ends in, `.so` and `.tar` included, the file is this
        package's own format: code, constants and program in one, read by `runtime.load_module`,
        `Executable.load`, the program `tilewright` and the Rust runtime; the system's loader and archivers do not
        read it. No compiler or linker is called: `fcompile` and its options are accepted, and files in `addons`
        are refused.
        """

    @property
    def format(self) -> Any:
        """The format in which it is written."""

    def function_names(self) -> list[str]: ...
    def get_function(self, name: Any, query_imports: bool = False) -> Any:
        """The function of that name; `query_imports` is accepted, as there are no imported modules."""

    def get_source(self, fmt: str = "") -> Any:
        """The machine code as text: LLVM's intermediate representation (`ll`, or nothing) or assembly (`asm`, `s`),
        which only an executable that was compiled in this process has; of one for a GPU its code (`ptx`, or
        nothing).
        """

    def implements_function(self, func_name: Any, query_imports: bool = False) -> Any:
        """Whether there is a function of that name."""

    @property
    def imported_modules(self) -> Any:
        """The modules inside this one: the code of a GPU, where there is some. All other code is its own."""

    @property
    def is_binary_serializable(self) -> Any:
        """Whether it can be written to a file and read back."""

    @property
    def is_dso_exportable(self) -> Any:
        """Whether the system's linker makes a library of it."""

    def jit(self) -> Executable:
        """The executable: its code is linked already."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Executable:
        """Opens a saved executable. Its machine code runs with all rights of the process."""

    @property
    def required_features(self) -> list[str]:
        """The extensions of the instruction set that the processor must have."""

    def save(self, path: str | PathLike[str], fmt: str = "") -> None:
        """Writes the executable to a file; its format is this package's own, whatever `fmt` says."""

    def stats(self) -> str:
        """How many functions, instructions, kernels and constants there are, and how many bytes they take."""

    @property
    def target_triple(self) -> str:
        """The machine that the executable was compiled for, by LLVM's name; empty for one without machine code."""

    def time_evaluator(
        self,
        func_name: str,
        dev: Device | None = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: float = 0.0,
        cooldown_interval_ms: float = 0.0,
        repeats_to_cooldown: int = 1,
        f_preproc: str = "",
    ) -> TimeEvaluator:
        """A timer of calls of the function: see `VirtualMachine.time_evaluator`."""

    @property
    def type_key(self) -> Any:
        """The sort of module."""

@final
class DeviceModule:
    """The code of a GPU in an executable."""

    def get_source(self, fmt: str = "") -> Any:
        """The code as text: PTX."""

    @property
    def imported_modules(self) -> Any:
        """The modules inside this one: there are none."""

    @property
    def type_key(self) -> Any:
        """The sort of module: the kind of device."""

@final
class LanguageModel:
    """The functions of a language model in an executable, with its weights."""

    def __new__(cls, executable: Any, weights: Any, context: Any, chunk: Any, vocabulary: Any) -> Self: ...
    def sequence(self) -> Any:
        """A sequence without tokens, with a cache of its own."""

@final
class TokenSequence:
    """Tokens that a model has seen."""

    def append(self, tokens: Any) -> Any:
        """Adds tokens, and gives the logits of the last one."""

    def append_all(self, tokens: Any) -> Any:
        """Adds tokens, and gives the logits of all of them, `[tokens, vocabulary]`, computed in one step."""

    def replace(self, tokens: Any) -> Any:
        """Makes these tokens the sequence's, and gives the logits of the last one. Those that it begins with already
        are not computed again, but for the last.
        """

    def restore(self, file: Any, model: Any) -> Any:
        """Makes this sequence the one of the bytes that `save` gave."""

    @property
    def room(self) -> Any:
        """Tokens that fit after those that there are."""

    def save(self, model: Any) -> Any:
        """The tokens with what the model keeps of them; `model` are 32 bytes that say which one it is."""

    @property
    def tokens(self) -> Any: ...
    def truncate(self, count: Any) -> Any:
        """Forgets all tokens but the first ones."""

@final
class Constraint:
    """What a text must be: a grammar. It is of one generation."""

    ...

@final
class Generator:
    """One generation: tokens that follow a prompt."""

    def __new__(cls, settings: Any, constraint: Any = None) -> Self: ...
    def begin(self, sequence: Any, prompt: Any) -> Any:
        """Makes the prompt the sequence's tokens, and chooses the first token: the tokens that were chosen, each
        with the logarithm of its probability and the likeliest ones with theirs, and why the text ends, if it
        does.
        """

    @property
    def proposals(self) -> Any:
        """How many tokens were proposed, and how many of these accepted."""

    def step(self, sequence: Any) -> Any:
        """The next token or tokens, as of `begin`."""

@final
class Tokenizer:
    """A tokenizer: text to tokens and back."""

    @property
    def bos(self) -> Any: ...
    def chat(self, inputs: Any, template: Any = None) -> Any:
        """The tokens of a conversation in a chat template (Jinja), by default the configuration's, and the prompt's
        text. `inputs` is an object of JSON with `messages`, and perhaps `tools`, `documents`, `variables` and
        `now_s`. Control tokens are those of the template, never such that a message spells.
        """

    def constraint(self, kind: Any, text: Any, ends: Any) -> Any:
        """What a text must be: `kind` is `"json_schema"`, `"json_object"`, `"regex"` or `"lark"`, `text` the schema,
        the expression or the grammar; `ends` are the tokens that end a text.
        """

    def decode(self, ids: Any, skip_special: Any) -> Any: ...
    def encode(self, text: Any, add_special: Any, markup: Any) -> Any:
        """The tokens of a text. Control tokens that it spells are text; with `markup` they are tokens."""

    @property
    def eos(self) -> Any:
        """The tokens that end a text."""

    @staticmethod
    def from_json(json: Any, config: Any = None) -> Any:
        """Of the bytes of `tokenizer.json`, and of `tokenizer_config.json` where there is one."""

    @staticmethod
    def from_metadata(metadata: Any) -> Any:
        """Of the metadata of a GGUF file, the keys `tokenizer.ggml.*`; arrays are lists."""

    @staticmethod
    def from_sentencepiece(model: Any) -> Any:
        """Of the bytes of SentencePiece's `tokenizer.model`."""

    def id_of(self, token: Any) -> Any: ...
    def stream(self, stop: Any) -> Any:
        """A stream that decodes tokens as they come, and ends at any of these strings."""

    def token_of(self, id: Any) -> Any: ...
    @property
    def vocab_size(self) -> Any: ...

@final
class TextStream:
    """Text of tokens that come one after another: never half a character, and nothing from a stop string on."""

    def finish(self) -> Any:
        """The rest."""

    def push(self, id: Any) -> Any:
        """The text that a token completes, and whether a stop string ends it."""

@final
class Session:
    """A model with its inputs and outputs."""

    def __new__(cls, executable: Any) -> Self: ...
    @property
    def gives_tuple(self) -> Any: ...
    @property
    def inputs(self) -> Any:
        """Each input: its name, its dimensions (numbers, or names of symbolic ones) and its data type."""

    @property
    def metadata(self) -> Any:
        """The texts that the model has for whoever uses it."""

    @property
    def outputs(self) -> Any:
        """Each output, as `inputs`."""

    @property
    def parameters(self) -> Any:
        """The names of the function's parameters, which are identifiers."""

    def problems(self, found: Any) -> Any:
        """What is wrong with inputs, each for itself and all at once: `found` has the data type and the shape of
        each, `None` for one that is passed over.
        """

@final
class ModelInfo:
    """What an executable keeps of an ONNX model."""

    def __new__(cls, model: Any, held: Any) -> Self: ...

@final
class SessionCache:
    """A folder of executables, by what they were compiled from."""

    def __new__(cls, folder: Any) -> Self: ...
    def key(self, model: Any, path: Any, said: Any) -> Any:
        """The key of the bytes of an ONNX model, of the files in its folder that hold its tensors, of the compiler,
        and of the texts that say what else decides what it becomes.
        """

    @staticmethod
    def of_user() -> Any:
        """The user's cache; `None` where the environment keeps caches off the disk."""

    def read(self, key: Any) -> Any:
        """The executable of a key; `None` where there is none, or a damaged one."""

    def write(self, key: Any, executable: Any) -> Any:
        """Keeps an executable; a folder that cannot be written to keeps nothing."""

@final
class SessionKey:
    """A key of the cache."""

    ...

@final
class VirtualMachine:
    """An executable, ready to run."""

    def __new__(
        cls,
        rt_mod: Any,
        device: Device | Sequence[Device] | None = None,
        memory_cfg: str | dict[Device, str] | None = None,
        profile: bool = False,
    ) -> Self: ...
    NAIVE_ALLOCATOR: int
    POOLED_ALLOCATOR: int
    def __getitem__(self, name: str) -> PackedFunc: ...
    def function_names(self) -> list[str]:
        """The names of the program's functions."""

    def get_outputs(self, func_name: str) -> Any:
        """The result of the last `invoke_stateful` of the function."""

    def invoke_closure(self, closure: PackedFunc, *args: Any) -> Any:
        """Calls a closure that a function of the machine returned."""

    def invoke_stateful(self, func_name: str) -> None:
        """Calls the function with the arguments that were set, and keeps its result for `get_outputs`."""

    @property
    def module(self) -> Any:
        """The machine itself: `vm.module["main"]` is `vm["main"]`."""

    def profile(self, func_name: str, *args: Any) -> Report:
        """Runs the function once and says where the time went."""

    def save_function(
        self,
        func_name: str,
        saved_name: str,
        *args: Any,
        include_return: bool = True,
        **named: Any,
    ) -> None:
        """Makes a function of this machine under a new name: `func_name` with its first arguments given, or those by
        name. Without `include_return` its result is dropped.
        """

    def set_input(self, func_name: str, *args: Any, **named: Any) -> None:
        """Stores the arguments of the next `invoke_stateful` of the function, by position or by name."""

    def set_instrument(self, instrument: Callable[..., Any] | None) -> None:
        """Calls `instrument(func, name, before_run, ret_value, *args)` before and after each call of a kernel, a
        packed function or a function of the program, from the next run on; None takes it away. `func` is the
        packed function, or None for what has no function of its own; `ret_value` is None before the call. Before
        a call the answer `VMInstrumentReturnKind.SKIP_RUN` leaves it out. An exception ends the run and comes
        back from it.
        """

    def time_evaluator(
        self,
        func_name: str,
        dev: Device | None = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: float = 0.0,
        cooldown_interval_ms: float = 0.0,
        repeats_to_cooldown: int = 1,
        f_preproc: str = "",
    ) -> TimeEvaluator:
        """A timer of calls of the function: called with its arguments, it calls the function once without looking,
        then takes `repeat` times of `number` calls each; `number` grows until a repeat takes `min_repeat_ms`.
        After every `repeats_to_cooldown` repeats it waits for `cooldown_interval_ms`. Nothing can be done before
        a repeat: `f_preproc` is empty.
        """

@final
class TimeEvaluator:
    """Times a function when it is called with the function's arguments."""

    def __call__(self, *args: Any) -> BenchmarkResult: ...

@final
class BenchmarkResult:
    """Times of calls, in seconds."""

    @property
    def max(self) -> float: ...
    @property
    def mean(self) -> float: ...
    @property
    def median(self) -> float: ...
    @property
    def min(self) -> float: ...
    @property
    def results(self) -> list[float]:
        """Seconds for one call, a number for each repeat."""

    @property
    def std(self) -> float:
        """The standard deviation."""

@final
class Report:
    """Where a run's time went."""

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The callees, the slowest first: a dict for each with its name, its kind (`kernel`, `packed` or
        `function`), the count of calls, seconds in all and of the shortest call, the share of the run, and the
        bytes of its tensors.
        """

    def json(self) -> str:
        """The calls as JSON."""

    @property
    def overhead(self) -> float:
        """Seconds outside of kernels and packed functions."""

    def table(self) -> str:
        """The report as a table."""

    @property
    def total(self) -> float:
        """Seconds of the whole run."""

def data_type_parts(text: Any) -> Any:
    """A data type by its name: the name as it is written, the code that DLPack has for it, bits and lanes."""

def num_threads() -> int:
    """How many threads a parallel loop of a kernel may use, the caller's own included."""

def set_num_threads(threads: int) -> None:
    """Sets it; 0 goes back to the default."""

def set_affinity(processors: Sequence[int]) -> None:
    """Binds the workers to these processors; none sets them free."""

def available_processors() -> list[int]:
    """The processors that the process may use, by the system's numbers."""

def write_executable(functions: Any) -> Any:
    """The executable of these functions."""

def register_func(name: str, function: Callable[..., Any], replace: bool) -> None:
    """Registers a Python function under a global name."""

def get_global_func(name: str, allow_missing: bool) -> PackedFunc | None:
    """The function of a global name; `None` for an unknown one only where it may be missing."""

def remove_global_func(name: str) -> None:
    """Removes the function of a global name; an unknown name is an error."""

def list_global_func_names() -> list[str]:
    """The names of all registered functions, in order."""

def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two pieces of IR have the same structure, whatever their variables are called. A free variable is
    equal to itself only, or with `map_free_vars` to any that is used alike.
    """

def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises `ValueError` unless the two have the same structure: with the path to the first difference in each, and
    both as text with that part underlined.
    """

def get_first_structural_mismatch(
    lhs: Any,
    rhs: Any,
    map_free_vars: bool = False,
) -> tuple[ObjectPath, ObjectPath] | None:
    """The paths to the first difference, in the one and in the other; `None` where there is none."""

def structural_hash(node: Any, map_free_vars: bool = False) -> int:
    """A hash that is the same for whatever is equal in structure. Free variables count by the order in which they
    appear, so `map_free_vars` makes no difference.
    """

def save_json(node: Any) -> str:
    """Any IR as JSON: modules, functions, expressions, statements, struct infos, buffers, attributes, lists and
    dicts of such.
    """

def load_json(json_str: Any) -> Any:
    """The IR of a text that `save_json` wrote, checked."""

def highlight(text: str) -> str:
    """A script with terminal colours."""

def highlight_html(text: str) -> str:
    """A script as HTML, in the colours of `highlight`."""

def call_op(name: str, args: Any, kwargs: Any) -> Any:
    """A call of a graph operator: positional arguments are its arguments, then its attributes; both may be given by
    name.
    """

def op_signature(name: str) -> tuple[list[tuple[str, str | None]], str]:
    """The signature and the documentation of a graph operator: its parameters as `(name, default or None)`, and the
    text.
    """

def graph_op_names() -> list[str]:
    """The names of the graph operators without `R.`."""

def op_reference(name: Any) -> Any:
    """The reference of a graph operator: its page; its documentation; its arguments and its attributes as `(name,
    what it is, documentation)`; how it fuses; whether it is pure; whether the virtual machine does it itself.
    """

def get_op(name: str) -> Any:
    """An operator by its full name, such as `relax.add`; the error lists similar ones."""

def list_op_names() -> list[str]:
    """The full names of all operators."""

def nn_op_names() -> Any:
    """The names of the operations of layers that Rust and Python have alike."""

def nn_op_signature(name: Any) -> Any:
    """An operation of layers: its parameters, the type of its result, and its documentation."""

def nn_call(builder: Any, name: Any, args: Any, kwargs: Any) -> Any:
    """Writes an operation of layers into the function that the builder has open: `args` and `kwargs` are as the
    operation has them in Python. The results are values of the graph; of an operation that gives an argument
    back, the argument.
    """

def nn_module(name: Any, args: Any, kwargs: Any) -> Any:
    """The module that Rust writes for one operation of layers: its function `forward` has a parameter for each of
    the variables among the arguments. The tests compare it with Python's.
    """

def nn_layer_names() -> Any:
    """The names of the layers that Rust and Python have alike."""

def nn_layer_call(builder: Any, name: Any, layer: Any, inputs: Any) -> Any:
    """Writes the function of a layer: `inputs` are what its call gives, everything else that the function takes is
    an attribute of the layer.
    """

def nn_layer_module(name: Any, layer: Any, inputs: Any) -> Any:
    """The same for a layer, whose weights are variables too."""

def buffer_scope(buffer: Any) -> str:
    """The scope of a buffer's memory."""

def flattened_buffer(buffer: Any) -> Any:
    """The buffer as one of a single dimension."""

def buffer_offset(buffer: Any, indices: Any) -> Any:
    """The indices of an element in the flattened buffer."""

def buffer_indices_at(buffer: Any, offset: Any) -> Any:
    """The indices of the element at this offset from the buffer's first one."""

def unravelled(place: Any, shape: Any) -> Any:
    """The indices of an element from its row-major linear index, in a tensor of this shape."""

def with_attr(function: Any, name: str, value: Any) -> Any:
    """A function with an attribute more, or with another value for it."""

def without_attr(function: Any, name: str) -> Any:
    """A function without an attribute."""

def operate(op: str, x: Any, y: Any) -> Any:
    """The result of an operator of Python for two operands, such as `operate("Add", a, b)`; NotImplemented where one
    is no scalar, so that Python asks the other operand.
    """

def negative(x: Any) -> Any:
    """The result of Python's `-` for one operand: its product with -1, in the bits of an unsigned type; of a truth
    value that of the number.
    """

def bitwise_not(x: Any) -> Any:
    """The result of Python's `~` for one operand: every bit inverted, of a truth value its negation."""

def of_one_type(*values: Any) -> Any:
    """Operands, brought to one type as an operator brings them."""

def call_tir_op(name: str, operands: Any) -> Any:
    """`T.name(args)` by the name of an operation whose type follows from its operands."""

def to_expr(value: Any, dtype: Any = None) -> Any:
    """A number or text as a scalar expression; an expression stays itself."""

def read_definition(
    text: str,
    filename: str,
    line: int,
    names: dict[str, str],
    value: Callable[[str], Any],
    check_well_formed: Any,
) -> IRModule | PrimFunc | Function:
    """Reads a decorated class or function from its own text, which begins at `line` of the file; `names` says which
    of its plain names are the script's own, `value` evaluates what is not.
    """

def from_source(text: str, filename: str, value: Callable[[str], Any] | None, check_well_formed: Any) -> Any:
    """Reads text: the one definition, or a dict of them by name where there are several. Without `value`, what is
    not the script's own is an error.
    """

def build(
    module: IRModule | PrimFunc | Function,
    target: Target,
    pipeline: Pass | None,
    progress: bool = False,
    model: Any = None,
) -> Executable:
    """Compiles a module or a function; a pipeline replaces the default one. With `progress`, a terminal is told how
    far it is. `model` is what the executable keeps for sessions.
    """

def pipeline(name: str, target: Target) -> Pass:
    """A pipeline by name for a target, as one pass."""

def fuse_ops_by_pattern(patterns: Any, bind_constants: Any, annotate_codegen: Any, entry_functions: Any) -> Any:
    """Fuses what looks like one of the patterns."""

def alter_op_impl(functions: Any, transforms: Any) -> Any:
    """Replaces the PrimFuncs of operators, by their names, by others, on tensors of which the maps of indices say
    where the elements are.
    """

def bind_params(name: str, params: dict[str | int, Any]) -> Pass:
    """Binds parameters of the function `name`, by their names or positions, to tensors; the tensors are copied,
    since a module's constants never change.
    """

def gradient(func_name: Any, require_grads: Any, target_index: Any, of_loops: Any) -> Any:
    """Adds the function that computes gradients. `of_loops` gets the name that a call of a PrimFunc gives for its
    gradient, the variable and the value of the call, the gradient of its result, and the builder that is writing
    the function.
    """

def bind_symbolic_vars(sizes: dict[Any, int], function: str | None) -> Pass:
    """Turns symbolic dimensions, by name, into numbers: in the function of that name, or in all."""

def graph_pass_names() -> Any:
    """The names of those among them that are passes of graphs."""

def estimate_memory_usage(module: IRModule) -> str:
    """The memory that the tensors of a planned module's functions take, as a table."""

def option_names() -> Any:
    """The options that passes of the compiler, and the context itself, read."""

def pass_names() -> list[str]:
    """The names of all passes that there are."""

def pass_signature(name: Any) -> Any:
    """The description of a pass, and its parameters in order."""

def make_pass(name: Any, args: Any) -> Any:
    """A pass by its name and the arguments that it takes."""

def pipeline_names() -> list[str]:
    """The names of all pipelines."""

def default_gpu_schedule(module: Any, target: Any) -> Any:
    """The module with every PrimFunc that has no schedule bound to the threads of the target."""

def index_map_of_text(text: Any) -> Any:
    """The map of indices that a text of `index_map_text` says."""

def index_map_text(map: Any) -> Any:
    """A map of indices as text."""

def schedule_primitive_doc(name: Any) -> Any:
    """What a primitive does, in a sentence, and what the fields of its plan are."""

def schedule_primitives() -> Any:
    """The names of the primitives, as traces and as users write them, with their parameters: a name, and its default
    in a tuple of one (an empty one where it must be given).
    """

def schedule_renamed() -> Any:
    """Earlier names of primitives, each with the name of today."""

def trace_line(name: Any, args: Any, outputs: Any) -> Any:
    """A call as a line of Python, from its primitive's name, its arguments as text and its handles' names."""

def graph_vars(which: str, root: Any) -> Any:
    """The graph variables of a part of the IR: `which` is "free", "bound" or "all"."""

def all_global_vars(root: Any) -> Any:
    """The functions of the module that a part of the IR mentions."""

def get_var2val(func: Any) -> Any:
    """The value of every variable of a function."""

def name_to_binding(func: Any) -> Any:
    """The bindings of a function by the names of their variables."""

def udchain(dfb: Any) -> Any:
    """The users of every variable of a block."""

def remove_all_unused(func: Any) -> Any:
    """The function without unused bindings."""

def contains_impure_call(expr: Any, own_name: str | None = None) -> bool:
    """Whether evaluating the expression or function has a side effect; calls of `own_name` itself do not count."""

def has_reshape_pattern(func: Any) -> bool:
    """Whether a PrimFunc does nothing but reshape."""

def detect_recursion(module: Any) -> Any:
    """The groups of functions that call each other in a circle."""

def computable_at_compile_time(func: Any) -> Any:
    """The variables that can be computed before a function is called."""

def dims_in_struct_info(info: Any, definable: bool) -> Any:
    """The symbolic dimensions in a struct info; with `definable` only those that a value of it defines."""

def collect_non_negative_expressions(info: Any) -> Any:
    """The extents in a struct info that are no constants: none is negative."""

def struct_info_base_check(base: Any, derived: Any) -> int:
    """Whether a value that is `derived` also is `base`: 0 never, 1 and 2 not known, 3 always."""

def struct_info_lca(lhs: Any, rhs: Any) -> Any:
    """The least upper bound of two struct infos."""

def static_type(info: Any) -> Any:
    """The struct info without the values of dimensions."""

def erase_to_well_defined(info: Any, dims: Any) -> Any:
    """The struct info in which symbolic dimensions are replaced, and those without a value are forgotten."""

def derive_call_ret_struct_info(func: Any, args: Any) -> Any:
    """The result of a call of a function of this struct info."""

def faults(object: Any) -> list[str]:
    """The faults of a module or function, as the verifier words them."""

def dataflow_liveness(dfb: Any) -> Any:
    """Of every variable of a dataflow block the first and last binding at which it lives."""

def dataflow_alias(dfb: Any, inputs: Any) -> Any:
    """Which memory each variable of a dataflow block may be: sets of numbers, and those of the fields of tuples."""

def dataflow_inplace(dfb: Any, inputs: Any) -> Any:
    """The calls that may be computed in place: those whose argument has the size, and those where it has the shape
    too.
    """

def post_order_visit(root: Any, f: Any) -> None:
    """Calls `f` on every statement and expression, parts first."""

def pre_order_visit(root: Any, f: Any) -> None:
    """Calls `f` on every statement and expression, parents first; it says whether to go inside."""

def substitute(node: Any, values: Any) -> Any:
    """The node with scalar variables replaced by expressions."""

def ir_transform(stmt: Any, preorder: Any, postorder: Any, only: bool) -> Any:
    """Rewrites a statement: `preorder` may replace a node before its parts are looked at, `postorder` after; either
    gives None where the node stays. `only` says which nodes they are asked about, by the kinds of classes.
    """

def expr_deep_equal(lhs: Any, rhs: Any) -> bool:
    """Whether two scalar expressions are equal, variables by identity."""

def impurity(func: Any) -> str | None:
    """Whether a PrimFunc only writes its own memory and calls nothing with effects; the reason where it does not."""

def estimate_tir_flops(object: Any) -> float:
    """The number of floating-point operations of a PrimFunc or of those of a module."""

def find_anchor_block(module: Any) -> Any:
    """The block with most work, or None."""

def undefined_vars(node: Any, defined: Any) -> Any:
    """The scalar variables that a statement or expression uses and does not define."""

def get_block_access_region(block: Any) -> Any:
    """The regions that a block reads and writes, and those that a foreign function may touch."""

def detect_buffer_access_lca(func: Any) -> Any:
    """Of each buffer the innermost statement around all of its uses."""

def calculate_workspace_bytes(func: Any, align: int) -> int:
    """The bytes that a PrimFunc's temporaries take."""

def renew_defs(func: Any) -> PrimFunc:
    """A copy of a function whose variables, buffers and symbolic dimensions are its own."""

def specialize(func: Any, known: Any) -> Any:
    """The PrimFunc for parameters of which values, or buffers like the arguments, are known."""

def lowering_step(step: Any, func: Any) -> Any:
    """The PrimFunc after one step of the lowering, by the step's name."""

def tir_pass(name: Any, func: Any, options: Any) -> Any:
    """The PrimFunc after a loop pass, by the pass's name after `tir.`, with the pass's own options."""

def tir_module_pass(name: Any, module: Any, options: Any) -> Any:
    """The module after a loop pass over modules, by the pass's name after `tir.`, with the pass's own options."""

def layout_letters(text: str) -> list[tuple[str, int | None]]:
    """The letters of a layout's dimensions in order, those of parts with their sizes."""

def layout_shape(source: str, destination: str, shape: Any) -> Any:
    """The shape of a tensor in another layout."""

def layout_index(source: str, destination: str, index: Any) -> Any:
    """The index of an element in another layout."""

def detect_common_subexpr(expr: Any, threshold: Any) -> Any:
    """The operations that occur at least `threshold` times in an expression, with how often."""

def verify_ssa(func: Any) -> Any:
    """Whether every variable of a PrimFunc is defined in one place."""

def touched_by_host(func: Any) -> Any:
    """The names of the buffers of device memory that a PrimFunc touches outside of its threads."""

def kernel_needs(func: Any) -> Any:
    """The most that a kernel of a PrimFunc needs, by the names of the limits."""

def allocated_bytes(func: Any) -> Any:
    """The bytes of a PrimFunc's allocations, by the scope of their memory."""

def constant_bytes(func: Any, align: Any) -> Any:
    """The bytes of the constants of a PrimFunc, each rounded up to a multiple of `align`."""

def out_of_bounds(func: Any) -> Any:
    """Accesses of a PrimFunc that leave their buffer: what each is."""

def symbolic_vars(func: Any, defined: Any) -> Any:
    """The symbolic dimensions that a function uses without defining them; with `defined` those that it defines."""

def rewrite_call(pattern: Any, rewriter: Any, func: Any) -> Function:
    """Replaces every expression of a function that fits by what `rewriter(expr, matches)` gives."""

def rewrite_bindings(ctx: Any, rewriter: Any, func: Any) -> Function:
    """Gives bindings of dataflow blocks new values: `rewriter(matches, bindings)` maps variables to them, where the
    context fits.
    """

def make_fused_bias_activation_pattern(op_name: str, with_bias: bool = False, activation: Any = None) -> DFPattern:
    """The pattern of an operator with an optional bias added and an optional activation."""

def detect_iter_map(indices: Any, iters: Any, predicate: Any, check_level: int, simplify_trivial: bool) -> Any:
    """The indices as sums of pieces of iterators, and why they are none."""

def normalize_to_iter_sum(index: int, iters: Any) -> Any:
    """The expression as a sum of pieces of the iterators, or None."""

def iter_map_simplify(indices: Any, iters: Any, predicate: Any, check_level: int) -> Any:
    """The indices simplified by what their iterators are."""

def normalize_iter_map_to_expr(expr: Any) -> Any:
    """A sum of pieces of iterators as an expression."""

def subspace_divide(bindings: Any, iters: Any, sub_iters: Any, predicate: Any, check_level: int) -> Any:
    """Indices by what outer and what inner loops contribute: pairs of marks, the last pair the predicates; or None."""

def inverse_affine_iter_map(iter_map: Any, outputs: Any) -> Any:
    """The iterators of a bijective map as expressions of its indices, or None."""

def solve_linear_equations(equations: Any, variables: Any, ranges: Any) -> Any:
    """A system of linear equations in other variables: `(src, dst, src_to_dst, dst_to_src)`."""

def solve_linear_inequalities(inequalities: Any, variables: Any, ranges: Any) -> Any:
    """The bounds of the variables of a system of linear inequalities, `(var, coef, lower, equal, upper)` each, and
    the rest.
    """

def solve_inequalities_to_range(inequalities: Any, variables: Any, ranges: Any) -> Any:
    """The same with a range for each variable: `(variables, ranges, relations)`."""

def detect_linear_equation(expr: Any, vars: Any) -> Any:
    """The coefficients of the variables and the rest; empty where the expression is not linear in them."""

def detect_clip_bound(expr: Any, vars: Any) -> Any:
    """The least and the greatest value of each variable that the condition leaves; empty where it says more than
    that.
    """

def deduce_bound(var: Any, cond: Any, relaxed: Any) -> Any:
    """The values of a variable for which a condition holds, whatever the relaxed variables are; nothing where not
    known.
    """

def estimate_region(which: str, region: Any, loops: Any, predicate: Any) -> Any:
    """The region that an access covers over loops: `which` is "lower", "strict" or "upper". None where it is not
    known.
    """

def combine_sets(sets: Any, union: bool) -> Any:
    """The smallest interval around several sets (`union`), or the one in all of them."""

def make_set(sort: str, value: Any = None) -> Any:
    """A set by its sort: "nothing", "everything", "point" of an expression, or "vector" of one."""

def set_is(set: Any, what: str) -> bool:
    """A property of a set: "nothing", "everything" or "single_point"."""

def rewrite_rules() -> dict[str, tuple[str, str]]:
    """The simplifier's rules: `(group, equation, condition)` each."""

def te_placeholder(shape: Any, dtype: Any, name: str) -> Any:
    """An input."""

def te_tensor(value: Any, name: str) -> Any:
    """The placeholder for a value of a graph."""

def te_reduce_axis(domain: Any, name: str) -> Any:
    """The axis of a reduction from the first index to the last but one."""

def te_compute(shape: Any, function: Any, name: str, axes: Any, attrs: Any, tag: Any) -> Any:
    """The tensor, or the list of tensors, whose elements are what the function gives for the indices."""

def te_reduce(name: str, expr: Any, axis: Any, condition: Any, init: Any) -> Any:
    """A reduction by its name: `sum`, `prod`, `min`, `max`, `all`, `any`."""

def te_reduce_by(combiner: Any, source: Any, axis: Any, condition: Any, init: Any) -> Any:
    """The results of a reduction of one's own on a row of values."""

def te_output(operation: Any, index: int) -> Any:
    """A tensor that an operation makes, by its number."""

def te_apply(call: Any, inputs: Any) -> Any:
    """The tensors that a call of a graph operator makes of these inputs, by the operator's formula."""

def te_dense(data: Any, weight: Any, bias: Any, dtype: Any) -> Any:
    """`data @ weight.T`, plus a bias for each column."""

def te_border(data: Any, before: Any, after: Any, mode: Any, value: Any, name: Any) -> Any:
    """The tensor with a border: of a value in the mode `constant`, of its own elements in the modes `edge`,
    `reflect`, `symmetric` and `circular`.
    """

def te_layout_transform(data: Any, source: Any, target: Any, name: Any) -> Any:
    """The tensor in another layout of the same axes."""

def te_adaptive_max(data: Any, size: Any, layout: Any) -> Any:
    """The largest elements of as many windows as `size` says, along the spatial dimensions of the layout."""

def te_depth_to_space(data: Any, block: Any, layout: Any, mode: Any, name: Any) -> Any:
    """Channels as blocks of an image of the layout `NCHW` or `NHWC`: `DCR` has all channels of one position in a
    block next to each other, `CRD` all positions of one channel.
    """

def te_space_to_depth(data: Any, block: Any, layout: Any, mode: Any, name: Any) -> Any:
    """Blocks of an image of the layout `NCHW` or `NHWC` as channels, in the orders of `te_depth_to_space`."""

def te_extern(outputs: Any, inputs: Any, name: str, attrs: Any, tag: Any, function: Any) -> Any:
    """The tensors of these shapes and types that the statements of a function fill; it gets a list of buffers for
    the inputs, and one for the outputs.
    """

def te_extern_primfunc(inputs: Any, func: Any, name: str) -> Any:
    """The tensors that a PrimFunc writes, called on these inputs."""

def te_create_prim_func(params: Any, index_dtype: Any, inline: Any) -> Any:
    """The PrimFunc whose parameters are these tensors and scalars; its name and global symbol is `main`."""

def te_call(builder: Any, name: str, args: Any, inputs: Any, outputs: Any, said: Any) -> Any:
    """A call, in a block builder's function, of the function that computes `outputs` from `inputs`, on the values
    that the inputs represent.
    """

def import_onnx(model: Any, options: Any, builder: Any, translate: Any) -> Any:
    """The module of an ONNX model, which is a path or the bytes of a file. `options` are those of the importer:
    `shapes`, `values` and `dtypes` by the names of inputs, `opset`, `params_as_input`, `sanitize_input_names`,
    and in `custom` the operators that `translate` translates, with `None` among them for all nodes that have no
    rule or are refused. It is called with a node as plain data, and builds with `builder`.
    """

def has_torch_rule(name: str) -> bool:
    """Whether there is a rule for the operator of PyTorch of this name."""

def import_torch_graph(builder: Any, graph: Any, options: Any, custom: Any) -> Any:
    """Adds a recorded graph as the function `main` to the builder's module. `custom` translates the nodes without a
    target: it gets a node's number and the values of the nodes that it needs, by name. The error of a graph that
    has no meaning says in `nodes` which nodes have none.
    """

def tuning_tasks(module: Any, target: Any, compiled: Any) -> Any:
    """The tasks of a module: its PrimFuncs without a schedule, or with `compiled` those that its compilation would
    schedule. Each is a name, a function and the number of its calls.
    """

def tuning_space(function: Any, target: Any) -> Any:
    """The traces of the default space of a function: those of the rules' candidates, the rules' own choice first,
    then tilings with decisions.
    """

def tune_tasks(tasks: Any, target: Any, search: Any, database: Any, measure: Any, watch: Any) -> Any:
    """Tunes tasks for a target, and writes what was measured into a database. `measure` is a function that takes the
    times, or the command of a process that does, with the seconds for one candidate; `watch` is called with each
    gain as it is after a trial.
    """

def apply_database(database: Any, target: Any = None, schedule: Any = None) -> Any:
    """A pass that replaces PrimFuncs by what a database has for them."""

def pipeline_with_database(database: Any, target: Any) -> Any:
    """The default pipeline, with the schedules of a database."""

def machine_name(target: Any) -> Any:
    """The target as records name it."""

def workload_hash(function: Any) -> Any:
    """What a function and its like are known by."""

def command_line(arguments: list[str]) -> int:
    """Runs the command line, the program's name first; the result is the exit status."""
