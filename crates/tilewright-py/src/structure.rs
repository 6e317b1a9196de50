//! IR as structure: comparison, hash, paths, saving and loading, for every object of Python that holds IR.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use tilewright::ir::analysis::tir::with_declared_allocations;
use tilewright::ir::json;
use tilewright::ir::node::{AnyHandle, EqCx, FreeVariables, HashCx, Mismatch, Path, Step};
use tilewright::ir::op::OpTable;
use tilewright::ir::relax::{BindingValue, Constant, Expr, ExprKind};
use tilewright::ir::{Attr, GlobalInfo};
use tilewright::script::print::{self, Marks, Target};

use crate::error;
use crate::module::PyModule;
use crate::tensor::NdArray;
use crate::view::{self, Field, Node, attr_of, function_name};

/// The IR that an object holds: a module, a node, a tensor, plain data, or lists and dicts of such.
pub(crate) fn ir_of(object: &Bound<'_, PyAny>) -> PyResult<json::Node> {
    if let Ok(module) = object.cast::<PyModule>() {
        return Ok(json::Node::Module(module.get().ir()));
    }
    if let Some(node) = view::node_of(object) {
        return Ok(saved_node(node));
    }
    if let Ok(tensor) = object.cast::<NdArray>() {
        return Ok(json::Node::Tensor(Constant(tensor.get().on_host(object.py())?)));
    }
    if object.is_instance_of::<PyString>() {
        return Ok(json::Node::Attr(attr_of(object)?));
    }
    if object.is_instance_of::<PyDict>() {
        let entries = object.call_method0("items")?.try_iter()?.map(|item| {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            Ok((function_name(&key)?, ir_of(&value)?))
        });
        return view::nested(object.py(), || entries.collect::<PyResult<_>>().map(json::Node::Map));
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = || object.try_iter()?.map(|item| ir_of(&item?)).collect::<PyResult<_>>().map(json::Node::List);
        return view::nested(object.py(), items);
    }
    Ok(json::Node::Attr(attr_of(object)?))
}

pub(crate) fn saved_node(node: &Node) -> json::Node {
    match node.clone() {
        Node::Scalar(expr) => json::Node::Scalar(expr),
        Node::Range(range) => json::Node::Range(range),
        Node::Buffer(buffer) => json::Node::Buffer(buffer),
        Node::Region(region) => json::Node::Region(region),
        Node::IterVar(iter) => json::Node::IterVar(iter),
        Node::MatchBuffer(matched) => json::Node::MatchBuffer(matched),
        Node::Stmt(stmt) => json::Node::Stmt(stmt),
        Node::Block(block) => json::Node::Block(block),
        Node::PrimFunc(name, function) => json::Node::PrimFunc { name, function },
        Node::Info(info) => json::Node::Info(info),
        Node::VDevice(device) => json::Node::VDevice(device),
        Node::DummyInfo => json::Node::GlobalInfo(GlobalInfo::Dummy),
        Node::Relax(expr) => json::Node::Relax(expr),
        Node::Binding(binding) => json::Node::Binding(binding),
        Node::BindingBlock(block) => json::Node::BindingBlock(block),
        Node::Seq(seq) => json::Node::Seq(seq),
        Node::Function(name, function) => json::Node::Function { name, function },
        // An answer of the arithmetic is what its text says.
        Node::Arith(arith) => json::Node::Attr(Attr::str(view::arith::text(&arith))),
        Node::Te(part) => json::Node::Attr(Attr::str(view::te::text(&part))),
        Node::Op(name) => json::Node::Op(name),
    }
}

/// The object that holds the IR.
pub(crate) fn object_of(py: Python<'_>, node: json::Node) -> PyResult<Bound<'_, PyAny>> {
    let node = match node {
        json::Node::Module(module) => return Ok(Bound::new(py, PyModule::of(module))?.into_any()),
        json::Node::Tensor(tensor) => return Field::Tensor(tensor.0).view(py),
        json::Node::Attr(attr) => return view::attr_field(Some(&attr)).view(py),
        json::Node::List(items) => {
            let items = items.into_iter().map(|item| object_of(py, item)).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyList::new(py, items)?.into_any());
        }
        json::Node::Map(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(&*key, object_of(py, value)?)?;
            }
            return Ok(dict.into_any());
        }
        json::Node::Scalar(expr) => Node::Scalar(expr),
        json::Node::Var(var) => Node::Scalar(tilewright::expr::Expr::var(&var)),
        json::Node::Range(range) => Node::Range(range),
        json::Node::Buffer(buffer) => Node::Buffer(buffer),
        json::Node::Region(region) => Node::Region(region),
        json::Node::IterVar(iter) => Node::IterVar(iter),
        json::Node::MatchBuffer(matched) => Node::MatchBuffer(matched),
        json::Node::Stmt(stmt) => Node::Stmt(stmt),
        json::Node::Block(block) => Node::Block(block),
        json::Node::PrimFunc { name, function } => Node::PrimFunc(name, function),
        json::Node::Info(info) => Node::Info(info),
        json::Node::VDevice(device) | json::Node::GlobalInfo(GlobalInfo::VDevice(device)) => Node::VDevice(device),
        json::Node::GlobalInfo(GlobalInfo::Dummy) => Node::DummyInfo,
        json::Node::Relax(expr) => Node::Relax(expr),
        json::Node::GraphVar(var) => Node::Relax(Expr::var(&var)),
        json::Node::GlobalVar(global) => Node::Relax(Expr::global(&global)),
        json::Node::Binding(binding) => Node::Binding(binding),
        json::Node::BindingBlock(block) => Node::BindingBlock(block),
        json::Node::Seq(seq) => Node::Seq(seq),
        json::Node::Function { name, function } => Node::Function(name, function),
        json::Node::Op(name) => Node::Op(name),
    };
    view::wrap(py, node)
}

/// Two pieces of IR and where they differ.
struct Compared {
    left: json::Node,
    right: json::Node,
    mismatch: Option<Mismatch>,
}

/// The IR as it is compared: an allocation and a declaration of its buffer are one statement, however they are written.
fn compared(object: &Bound<'_, PyAny>) -> PyResult<json::Node> {
    Ok(match ir_of(object)? {
        json::Node::PrimFunc { name, function } => {
            let function = with_declared_allocations(&*function).map_or(function, Arc::new);
            json::Node::PrimFunc { name, function }
        }
        json::Node::Stmt(stmt) => json::Node::Stmt(with_declared_allocations(&stmt).unwrap_or(stmt)),
        json::Node::Module(module) => json::Node::Module(with_declared_allocations(&*module).map_or(module, Arc::new)),
        node => node,
    })
}

fn compare(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, map_free_vars: bool) -> PyResult<Compared> {
    let (left, right) = (compared(left)?, compared(right)?);
    let free = if map_free_vars { FreeVariables::MayStandForOthers } else { FreeVariables::AreThemselves };
    let mismatch = EqCx::compare_with(&left, &right, free).err();
    Ok(Compared { left, right, mismatch })
}

/// Whether two pieces of IR have the same structure, whatever their variables are called. A free variable is equal to
/// itself only, or with `map_free_vars` to any that is used alike.
#[pyfunction]
#[pyo3(signature = (lhs, rhs, map_free_vars=false))]
pub(crate) fn structural_equal(lhs: &Bound<'_, PyAny>, rhs: &Bound<'_, PyAny>, map_free_vars: bool) -> PyResult<bool> {
    Ok(compare(lhs, rhs, map_free_vars)?.mismatch.is_none())
}

/// Raises `ValueError` unless the two have the same structure: with the path to the first difference in each, and both
/// as text with that part underlined.
#[pyfunction]
#[pyo3(signature = (lhs, rhs, map_free_vars=false))]
pub(crate) fn assert_structural_equal(
    lhs: &Bound<'_, PyAny>,
    rhs: &Bound<'_, PyAny>,
    map_free_vars: bool,
) -> PyResult<()> {
    let Compared { left, right, mismatch } = compare(lhs, rhs, map_free_vars)?;
    match mismatch {
        None => Ok(()),
        Some(mismatch) => Err(PyValueError::new_err(print::mismatch_report(&left, &right, &mismatch))),
    }
}

/// The paths to the first difference, in the one and in the other; `None` where there is none.
#[pyfunction]
#[pyo3(signature = (lhs, rhs, map_free_vars=false))]
pub(crate) fn get_first_structural_mismatch(
    lhs: &Bound<'_, PyAny>,
    rhs: &Bound<'_, PyAny>,
    map_free_vars: bool,
) -> PyResult<Option<(ObjectPath, ObjectPath)>> {
    let mismatch = compare(lhs, rhs, map_free_vars)?.mismatch;
    Ok(mismatch.map(|Mismatch { left, right }| (ObjectPath(left), ObjectPath(right))))
}

/// A hash that is the same for whatever is equal in structure. Free variables count by the order in which they appear,
/// so `map_free_vars` makes no difference.
#[pyfunction]
#[pyo3(signature = (node, map_free_vars=false))]
pub(crate) fn structural_hash(node: &Bound<'_, PyAny>, map_free_vars: bool) -> PyResult<u64> {
    let _ = map_free_vars;
    Ok(HashCx::hash(&compared(node)?))
}

/// Any IR as JSON: modules, functions, expressions, statements, struct infos, buffers, attributes, lists and dicts of
/// such.
#[pyfunction]
pub(crate) fn save_json(node: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(json::save(&ir_of(node)?))
}

/// The IR of a text that `save_json` wrote, checked.
#[pyfunction]
pub(crate) fn load_json<'py>(json_str: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = json_str.py();
    let node = match json_str.cast::<PyBytes>() {
        Ok(bytes) => json::load(bytes.as_bytes(), operators()),
        Err(_) => json::load(json_str.extract::<&str>()?.as_bytes(), operators()),
    };
    object_of(py, node.map_err(|problem| load_error(py, &problem))?)
}

fn operators() -> OpTable {
    OpTable(tilewright::ops::lookup)
}

fn load_error(py: Python<'_>, problem: &json::Error) -> PyErr {
    match problem {
        json::Error::Text { .. } => error::general(py, problem),
        json::Error::IllFormed(found) => error::diagnostics(py, found),
    }
}

/// The way from a root to a part of it, such as `<root>.functions[main].body.blocks[0]`.
#[pyclass(frozen, eq, hash, name = "ObjectPath", module = "tilewright.runtime.object_path")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ObjectPath(Path);

#[pymethods]
impl ObjectPath {
    /// The path of the root itself.
    #[staticmethod]
    #[pyo3(signature = (root_name=None))]
    fn root(root_name: Option<&str>) -> Self {
        let _ = root_name;
        Self(Path::default())
    }

    /// The path to an attribute of the node at this path.
    fn attr(&self, attr_key: String) -> Self {
        Self(self.0.then(Step::Field(attr_key.into())))
    }

    fn missing_attribute(&self, attr_key: String) -> Self {
        Self(self.0.then(Step::MissingField(attr_key.into())))
    }

    fn array_index(&self, index: usize) -> Self {
        Self(self.0.then(Step::Item(index)))
    }

    fn missing_array_element(&self, index: usize) -> Self {
        Self(self.0.then(Step::MissingItem(index)))
    }

    /// The path to the value of a key: a text, or a GlobalVar.
    fn map_value(&self, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.then(Step::Key(function_name(key)?))))
    }

    #[pyo3(signature = (key=None))]
    fn missing_map_entry(&self, key: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let key = key.map(function_name).transpose()?.unwrap_or_else(|| Arc::from(""));
        Ok(Self(self.0.then(Step::MissingKey(key))))
    }

    /// The path without its last step; `None` for the root.
    #[getter]
    fn parent(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    /// The path of the first `length` nodes on the way, the root being one.
    fn get_prefix(&self, length: usize) -> PyResult<Self> {
        match length.checked_sub(1).and_then(|steps| self.0.0.get(..steps)) {
            Some(steps) => Ok(Self(Path(steps.to_vec()))),
            None => Err(PyIndexError::new_err(format!("a path of {} nodes has no prefix of {length}", self.__len__()))),
        }
    }

    fn is_prefix_of(&self, other: &Self) -> bool {
        self.0.is_prefix_of(&other.0)
    }

    /// The nodes on the way, the root and the last one included.
    fn __len__(&self) -> usize {
        self.0.0.len() + 1
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// Reads an option of `script()` that marks parts of the text; whether it is one.
pub(crate) fn mark_option(marks: &mut Marks, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let none = value.is_none();
    match name {
        "num_context_lines" => {
            let lines: Option<i64> = value.extract()?;
            marks.context_lines = lines.and_then(|lines| usize::try_from(lines).ok());
        }
        "path_to_underline" | "obj_to_underline" if !none => {
            for target in value.try_iter()? {
                marks.underline.push(target_of(&target?)?);
            }
        }
        "path_to_annotate" | "obj_to_annotate" if !none => {
            for item in value.call_method0("items")?.try_iter()? {
                let (target, text): (Bound<'_, PyAny>, String) = item?.extract()?;
                marks.annotate.push((target_of(&target)?, text));
            }
        }
        "path_to_underline" | "obj_to_underline" | "path_to_annotate" | "obj_to_annotate" => {}
        _ => return Ok(false),
    }
    Ok(true)
}

fn target_of(object: &Bound<'_, PyAny>) -> PyResult<Target> {
    if let Ok(path) = object.cast::<ObjectPath>() {
        return Ok(Target::Path(path.get().0.clone()));
    }
    let address = match view::node_of(object) {
        Some(Node::Scalar(expr)) => expr.as_var().map_or_else(|| expr.address(), AnyHandle::address),
        Some(Node::Relax(expr)) => match &expr.kind {
            ExprKind::Var(var) => var.address(),
            _ => expr.address(),
        },
        Some(Node::Buffer(buffer)) => buffer.address(),
        Some(Node::Stmt(stmt)) => stmt.address(),
        Some(Node::Block(block)) => block.body.address(),
        Some(Node::PrimFunc(_, function)) => function.body.address(),
        Some(Node::IterVar(iter)) => iter.var.address(),
        Some(Node::Binding(binding)) => match &binding.value {
            BindingValue::Expr(value) | BindingValue::MatchCast { value, .. } => value.address(),
        },
        Some(Node::Seq(seq)) => seq.result.address(),
        _ => return Err(error::wrong_type("expected a path or a node that the text shows", object)),
    };
    Ok(Target::Node(address))
}
