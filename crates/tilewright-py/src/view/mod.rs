//! The IR as Python sees it: one class per kind and operator, over the few kinds that the IR has.
//!
//! A [`Node`] is any part of the IR that Python can hold. [`PyNode`] is its Python object, always of the class that
//! Python registered for the node's *kind* (`tir.Add`, `relax.If`, …): `class Add(BinaryOpExpr, kind="tir.Add")`.
//! Each sort of node has a file here with three functions: `kind` (which class), `field` (an attribute by name) and
//! `make` (what the class's constructor makes).
//!
//! Reading order: `convert` (fields and arguments), then `scalar`, `buffer`, `stmt`, `info`, `relax`, `function`.
//!
//! Invariants: objects are immutable and share their nodes with the IR; nothing is checked here but the types of
//! arguments, the constructors of the IR check the rest; two objects of one node are equal and hash alike.

pub(crate) mod analysis;
pub(crate) mod arith;
mod attrs;
mod buffer;
pub(crate) mod builder;
mod call;
mod convert;
mod function;
mod graph_call;
mod info;
pub(crate) mod iter_map;
pub(crate) mod layout;
pub(crate) mod linear;
mod memory;
pub(crate) mod nn;
mod op;
pub(crate) mod pattern;
mod relax;
mod same;
mod scalar;
mod stmt;
pub(crate) mod te;
mod text;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use tilewright::expr::{Buffer, Expr, Range};
use tilewright::ir::relax::{self as graph, StructInfo, VDevice};
use tilewright::ir::tir::{self, BufferRegion, IterVar, MatchBuffer, PrimFunc, Stmt};

use tilewright::script::print::PrintOptions;

use crate::error;
use crate::module::{print_options, show};

pub(crate) use attrs::{attr_of, attrs_of, index_map, map as attrs_field, optional as attr_field};
pub(crate) use buffer::{buffer_indices_at, buffer_offset, buffer_scope, flattened_buffer, unravelled};
pub(crate) use call::{call_tir_op, get_op, list_op_names};
pub(crate) use convert::{Args, Field, FromPython, argument, function_name, nested, to_expr};
pub(crate) use function::{with_attr, without_attr};
pub(crate) use op::{call_op, graph_op_names, op_reference, op_signature};
pub(crate) use pattern::pattern_of;
pub(crate) use scalar::{bitwise_not, negative, of_one_type, operate};

/// A part of the IR that Python can hold.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Scalar(Expr),
    Range(Range),
    Buffer(Buffer),
    Region(BufferRegion),
    IterVar(IterVar),
    MatchBuffer(MatchBuffer),
    Stmt(Stmt),
    Block(Arc<tir::Block>),
    /// With its name in its module, or in the text that defined it.
    PrimFunc(Arc<str>, Arc<PrimFunc>),
    Info(StructInfo),
    VDevice(VDevice),
    /// A global info that says nothing.
    DummyInfo,
    Relax(graph::Expr),
    Binding(Arc<graph::Binding>),
    BindingBlock(Arc<graph::BindingBlock>),
    Seq(Arc<graph::SeqExpr>),
    /// With its name in its module, or in the text that defined it.
    Function(Arc<str>, Arc<graph::Function>),
    /// The results of the arithmetic on integers.
    Arith(arith::Arith),
    /// A part of a tensor expression.
    Te(te::Te),
    /// An operator of either level by its full name, such as `relax.add` and `tir.exp`.
    Op(Arc<str>),
}

impl Node {
    /// The kind of the node: the name under which Python registers its class.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Scalar(expr) => scalar::kind(expr),
            Self::Range(_) => "ir.Range",
            Self::Buffer(_) => "tir.Buffer",
            Self::Region(_) => "tir.BufferRegion",
            Self::IterVar(_) => "tir.IterVar",
            Self::MatchBuffer(_) => "tir.MatchBufferRegion",
            Self::Stmt(stmt) => stmt::kind(stmt),
            Self::Block(_) => "tir.Block",
            Self::PrimFunc(..) => "tir.PrimFunc",
            Self::Info(info) => info::kind(info),
            Self::VDevice(_) => "ir.VDevice",
            Self::DummyInfo => "ir.DummyGlobalInfo",
            Self::Relax(expr) => relax::kind_of(expr),
            Self::Binding(binding) => relax::binding_kind(binding),
            Self::BindingBlock(block) => relax::block_kind(block),
            Self::Seq(_) => "relax.SeqExpr",
            Self::Function(..) => "relax.Function",
            Self::Arith(arith) => arith::kind(arith),
            Self::Te(part) => te::kind(part),
            Self::Op(_) => "ir.Op",
        }
    }

    fn field(&self, name: &str) -> Option<Field> {
        match self {
            Self::Scalar(expr) => scalar::field(expr, name),
            Self::Range(range) => buffer::range_field(range, name),
            Self::Buffer(buffer) => buffer::field(buffer, name),
            Self::Region(region) => buffer::region_field(region, name),
            Self::IterVar(iter) => buffer::iter_var_field(iter, name),
            Self::MatchBuffer(matched) => buffer::match_buffer_field(matched, name),
            Self::Stmt(stmt) => stmt::field(stmt, name),
            Self::Block(block) => stmt::block_field(block, name),
            Self::PrimFunc(_, func) => function::prim_field(func, name),
            Self::Info(info) => info::field(info, name),
            Self::VDevice(device) => info::device_field(device, name),
            Self::DummyInfo => None,
            Self::Relax(expr) => relax::field(expr, name),
            Self::Binding(binding) => relax::binding_field(binding, name),
            Self::BindingBlock(block) => relax::block_field(block, name),
            Self::Seq(seq) => relax::seq_field(seq, name),
            Self::Function(_, func) => function::field(func, name),
            Self::Arith(arith) => arith::field(arith, name),
            Self::Te(part) => te::field(part, name),
            Self::Op(op) => call::op_field(op, name),
        }
    }

    /// The identity of an object: the address of the shared node, or the identity of a variable.
    fn identity(&self) -> usize {
        use tilewright::ir::node::AnyHandle as _;
        match self {
            Self::Scalar(expr) => expr.as_var().map_or_else(|| expr.address(), |var| var.address()),
            Self::Relax(expr) => expr.as_var().map_or_else(|| expr.address(), |var| var.address()),
            Self::Buffer(buffer) => buffer.address(),
            Self::Stmt(stmt) => stmt.address(),
            Self::IterVar(iter) => iter.var.address(),
            Self::MatchBuffer(matched) => matched.buffer.address(),
            Self::Region(region) => region.buffer.address(),
            Self::Range(range) => range.extent.address(),
            Self::Block(block) => block.body.address(),
            Self::PrimFunc(_, func) => func.body.address(),
            Self::Function(_, func) => func.body.result.address(),
            Self::Seq(seq) => seq.result.address(),
            Self::Binding(binding) => binding.var.address(),
            Self::BindingBlock(block) => block.bindings.first().map_or(0, |binding| binding.var.address()),
            Self::Info(info) => tilewright::ir::node::HashCx::hash(info) as usize,
            Self::VDevice(device) => tilewright::ir::node::HashCx::hash(device) as usize,
            Self::DummyInfo => 0,
            // Equal answers have equal texts.
            Self::Arith(arith) => {
                tilewright::ir::node::HashCx::hash(&std::sync::Arc::<str>::from(arith::text(arith))) as usize
            }
            Self::Te(part) => te::identity(part),
            Self::Op(op) => op.as_ptr() as usize,
        }
    }

    /// Whether the two are one node.
    fn same(&self, other: &Self) -> bool {
        self.kind() == other.kind() && same::same(self, other)
    }
}

/// Carries a node to the constructor of its Python object.
#[pyclass(frozen, name = "_Carrier", module = "tilewright._core")]
struct Carrier(Node);

/// A part of the IR. The classes of the IR are this one's subclasses.
#[pyclass(frozen, subclass, name = "Object", module = "tilewright.runtime.object")]
pub(crate) struct PyNode(pub(crate) Node);

/// The class of each kind.
static CLASSES: Mutex<BTreeMap<String, Py<PyType>>> = Mutex::new(BTreeMap::new());

/// The parts of the package whose classes are views of nodes. Some are imported only when they are needed.
const PACKAGES: [&str; 5] =
    ["tilewright.ir", "tilewright.tir", "tilewright.relax", "tilewright.te", "tilewright.arith"];

fn class_of<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyType>> {
    if let Some(class) = registered(py, kind) {
        return Ok(class);
    }
    PACKAGES.iter().try_for_each(|package| py.import(*package).map(drop))?;
    registered(py, kind).ok_or_else(|| PyTypeError::new_err(format!("no class of Python is registered for `{kind}`")))
}

fn registered<'py>(py: Python<'py>, kind: &str) -> Option<Bound<'py, PyType>> {
    let classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    classes.get(kind).map(|class| class.bind(py).clone())
}

/// The Python object of a node.
pub(crate) fn wrap<'py>(py: Python<'py>, node: Node) -> PyResult<Bound<'py, PyAny>> {
    let node = match node {
        Node::Relax(expr) => relax::plain(expr),
        node => node,
    };
    object(&class_of(py, node.kind())?, node)
}

/// The object of this class that holds the node.
fn object<'py>(class: &Bound<'py, PyType>, node: Node) -> PyResult<Bound<'py, PyAny>> {
    let carrier = Bound::new(class.py(), Carrier(node))?;
    class.py().get_type::<PyNode>().getattr("__new__")?.call1((class, carrier))
}

/// The node in a Python object, if it holds one.
pub(crate) fn node_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Node> {
    object.cast::<PyNode>().ok().map(|object| &object.get().0)
}

#[pymethods]
impl PyNode {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*args, **_options))]
    fn new(
        class: &Bound<'_, PyType>,
        args: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(first) = args.get_item(0)
            && let Ok(carrier) = first.cast::<Carrier>()
        {
            return Ok(Self(carrier.get().0.clone()));
        }
        let class = class.name()?;
        Err(PyTypeError::new_err(format!("`{class}` covers several classes, or is made by a function: use those")))
    }

    fn __setattr__(slf: &Bound<'_, Self>, name: &str, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let class = slf.get_type().name()?;
        let message = format!("`{class}` cannot be changed: make another one with another `{name}`");
        Err(PyAttributeError::new_err(message))
    }

    /// Registers the class for a kind of node.
    #[classmethod]
    #[pyo3(signature = (kind=None))]
    fn __init_subclass__(class: &Bound<'_, PyType>, kind: Option<String>) -> PyResult<()> {
        if let Some(kind) = kind {
            class.setattr("_kind", &kind)?;
            let mut classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
            classes.entry(kind).or_insert_with(|| class.clone().unbind());
        }
        Ok(())
    }

    /// The result of the class's constructor for these arguments, in the order in which the class names them.
    #[classmethod]
    #[pyo3(signature = (*args))]
    fn _make<'py>(class: &Bound<'py, PyType>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let Some(kind) = class.getattr_opt("_kind")? else {
            let name = class.name()?;
            return Err(PyTypeError::new_err(format!("`{name}` covers several classes: make one of those")));
        };
        let kind: String = kind.extract()?;
        let node = make(&Args::new(&kind, args))?;
        // A class of Python's own below that of the kind keeps its objects.
        if node.kind() == kind { object(class, node) } else { wrap(class.py(), node) }
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match slf.get().0.field(name) {
            Some(field) => field.view(slf.py()),
            None => {
                let class = slf.get_type().name()?;
                Err(PyAttributeError::new_err(format!("`{class}` has no attribute `{name}`")))
            }
        }
    }

    /// Whether both are the very same node.
    fn same_as(&self, other: &Bound<'_, PyAny>) -> bool {
        node_of(other).is_some_and(|other| self.0.same(other))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        self.same_as(other)
    }

    fn __ne__(&self, other: &Bound<'_, PyAny>) -> bool {
        !self.same_as(other)
    }

    fn __hash__(&self) -> usize {
        match &self.0 {
            Node::Relax(expr) if let graph::ExprKind::GlobalVar(global) = &expr.kind => {
                global.name.bytes().fold(17, |hash: usize, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
            }
            Node::Op(name) => {
                name.bytes().fold(23, |hash: usize, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
            }
            node => node.identity(),
        }
    }

    /// Objects are pickled as the JSON of their nodes; the answers of the arithmetic by their parts.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        if let Node::Arith(answer) = &slf.get().0 {
            return arith::made_again(slf.as_any(), answer);
        }
        if let Node::Te(_) = &slf.get().0 {
            let reason = "tensor expressions are not pickled: make a PrimFunc of them, which is";
            return Err(PyTypeError::new_err(reason));
        }
        let base = slf.py().import("tilewright.ir.base")?;
        let saved = base.getattr("save_json")?.call1((slf,))?;
        Ok((base.getattr("load_json")?, PyTuple::new(slf.py(), [saved])?))
    }

    /// The node as TVMScript.
    #[pyo3(signature = (**options))]
    fn script(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        Ok(text::script(&self.0, &print_options(options)?))
    }

    /// Prints the script, in colour on a terminal.
    #[pyo3(signature = (**options))]
    fn show(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        show(py, &self.script(options)?)
    }

    fn __str__(&self) -> String {
        text::script(&self.0, &PrintOptions::default())
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}

/// The result of the constructor of a kind's class.
fn make(args: &Args<'_, '_>) -> PyResult<Node> {
    let made = match args.kind().split_once('.') {
        Some(("tir" | "ir", _)) => {
            let scalar = scalar::make(args).transpose().or_else(|| buffer::make(args).transpose());
            scalar
                .or_else(|| stmt::make(args).transpose())
                .or_else(|| info::make(args).transpose())
                .or_else(|| te::make(args).transpose())
        }
        Some(("relax", _)) => info::make(args).transpose().or_else(|| relax::make(args).transpose()),
        Some(("arith", _)) => arith::make(args).transpose(),
        _ => None,
    };
    match made.or_else(|| function::make(args).transpose()) {
        Some(made) => made,
        None => Err(PyTypeError::new_err(format!("`{}` is not made by a constructor", args.kind()))),
    }
}

/// An error of the IR's constructors as Python's: it says once what was to be made.
pub(crate) fn refused(py: Python<'_>, kind: &str, reason: impl std::fmt::Display) -> PyErr {
    let reason = reason.to_string();
    match reason.contains(&format!("`{kind}`")) {
        true => error::general(py, reason),
        false => error::general(py, format_args!("{kind}: {reason}")),
    }
}
