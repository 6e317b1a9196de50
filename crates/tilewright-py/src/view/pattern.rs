//! The pattern language of graphs, as Python sees it; `tilewright.relax.dpl` gives it its names.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tilewright::DataType;
use tilewright::expr::Expr as Scalar;
use tilewright::ir::builder::binding_rewrite::DataflowBlockRewrite;
use tilewright::ir::builder::{BlockBuilder, BuildError};
use tilewright::ir::relax::{BindingBlock, Expr, Function, StructInfo, Var};
use tilewright::relax_passes::pattern::{
    self, ArgPatterns, CalleePattern, Matches, Pattern, PatternContext, PatternKind,
};

use super::convert::FromPython;
use super::{Field, Node, argument, attrs, info, node_of, wrap};
use crate::error;
use crate::module::PyModule;
use crate::pass::module_of;

/// A description of graph expressions. Each is its own identity: in a match it matches one expression.
#[pyclass(frozen, subclass, name = "DFPattern", module = "tilewright.relax.dpl.pattern")]
#[derive(Clone)]
pub(crate) struct PyPattern(Pattern);

pub(crate) fn pattern_of(object: &Bound<'_, PyAny>) -> PyResult<Pattern> {
    match object.cast::<PyPattern>() {
        Ok(pattern) => Ok(pattern.get().0.clone()),
        Err(_) => match Expr::from_python(object)? {
            Some(expr) => Ok(Pattern::expr(&expr)),
            None => Err(error::wrong_type("expected a pattern", object)),
        },
    }
}

fn patterns_of(objects: &Bound<'_, PyAny>) -> PyResult<Vec<Pattern>> {
    objects.try_iter()?.map(|object| pattern_of(&object?)).collect()
}

fn known_dims(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Scalar>> {
    info::dims(argument(object, name)?).map_err(|reason| error::general(object.py(), format_args!("pattern: {reason}")))
}

fn named(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

/// The patterns of arguments: `None` for any.
fn args_of(args: &Bound<'_, PyAny>) -> PyResult<ArgPatterns> {
    Ok(if args.is_none() { ArgPatterns::Any } else { ArgPatterns::Exactly(patterns_of(args)?) })
}

#[pymethods]
impl PyPattern {
    #[staticmethod]
    fn _wildcard() -> Self {
        Self(Pattern::wildcard())
    }

    #[staticmethod]
    fn _op(py: Python<'_>, name: &str) -> PyResult<Self> {
        let short = name.strip_prefix("relax.").unwrap_or(name);
        Pattern::op(short).map(Self).map_err(|reason| error::general(py, reason))
    }

    #[staticmethod]
    fn _const() -> Self {
        Self(Pattern::constant())
    }

    /// `sort` is "var", "dataflow_var", "global_var" or "extern"; an empty name is any.
    #[staticmethod]
    fn _named(sort: &str, name: &str) -> Self {
        Self(match sort {
            "var" => Pattern::var(named(name)),
            "dataflow_var" => Pattern::dataflow_var(named(name)),
            "global_var" => Pattern::global_var(named(name)),
            _ => Pattern::extern_func(named(name)),
        })
    }

    #[staticmethod]
    fn _expr(expr: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Pattern::expr(&argument(expr, "expr")?)))
    }

    #[staticmethod]
    fn _tuple(fields: &Bound<'_, PyAny>, unordered: bool) -> PyResult<Self> {
        let fields = patterns_of(fields)?;
        Ok(Self(if unordered { Pattern::unordered_tuple(fields) } else { Pattern::tuple(fields) }))
    }

    #[staticmethod]
    fn _tuple_get(tuple: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<Self> {
        Ok(Self(Pattern::tuple_get(&pattern_of(tuple)?, index)))
    }

    #[staticmethod]
    fn _shape(dims: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Pattern::shape(known_dims(dims, "values")?)))
    }

    /// A call between the levels: `sort` is "call_tir", "call_dps_packed" or "call_packed".
    #[staticmethod]
    fn _cross_call(sort: &str, name: &str, args: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (name, args) = (named(name), args_of(args)?);
        Ok(Self(match sort {
            "call_tir" => Pattern::call_tir(name, args),
            "call_dps_packed" => Pattern::call_dps_packed(name, args),
            _ => Pattern::call_packed(name, args),
        }))
    }

    /// A call of what this describes; with `open` the arguments are only the first ones.
    fn _call(&self, args: &Bound<'_, PyAny>, open: bool) -> PyResult<Self> {
        let args = patterns_of(args)?;
        Ok(Self(self.0.call_with(if open { ArgPatterns::First(args) } else { ArgPatterns::Exactly(args) })))
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.or(&pattern_of(other)?)))
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.and(&pattern_of(other)?)))
    }

    fn __invert__(&self) -> Self {
        Self(self.0.not())
    }

    /// With this element type.
    fn has_dtype(&self, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.has_dtype(argument::<DataType>(dtype, "dtype")?)))
    }

    /// A tensor or shape with these dimensions.
    fn has_shape(&self, shape: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.has_shape(known_dims(shape, "shape")?)))
    }

    /// A call with these attributes, among others.
    fn has_attr(&self, attrs: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.has_attr(attrs::attrs_of(attrs)?)))
    }

    /// Of which at least this is known.
    fn has_struct_info(&self, struct_info: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.has_struct_info(argument::<StructInfo>(struct_info, "struct_info")?)))
    }

    /// Of the shape of the values of the other patterns of the match: as the pattern that this gives says, and as the
    /// context whose `with` is around is told.
    #[pyo3(signature = (*others))]
    fn same_shape_as(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let all = patterns_of(others)?;
        let contexts = others.py().import("tilewright.relax.dpl.context")?.getattr("PatternContext")?;
        if let Ok(context) = contexts.call_method0("current")?.cast::<PyContext>() {
            let mut context = context.get().0.lock().unwrap_or_else(PoisonError::into_inner);
            context.same_shape(std::iter::once(&self.0).chain(&all).cloned().collect());
        }
        Ok(Self(all.iter().fold(self.0.clone(), |pattern, other| pattern.same_shape_as(other))))
    }

    /// The same description with an identity of its own.
    fn dup(&self) -> Self {
        Self(self.0.dup())
    }

    /// The kind of pattern, as its class is called.
    fn _kind(&self) -> &'static str {
        match self.0.kind() {
            PatternKind::Wildcard => "WildcardPattern",
            PatternKind::Op(_) | PatternKind::Expr(_) | PatternKind::Prim(_) => "ExprPattern",
            PatternKind::Constant => "ConstantPattern",
            PatternKind::Var(_) => "VarPattern",
            PatternKind::DataflowVar(_) => "DataflowVarPattern",
            PatternKind::GlobalVar(_) => "GlobalVarPattern",
            PatternKind::ExternFunc(_) => "ExternFuncPattern",
            PatternKind::Tuple(_) => "TuplePattern",
            PatternKind::UnorderedTuple(_) => "UnorderedTuplePattern",
            PatternKind::TupleGet { .. } => "TupleGetItemPattern",
            PatternKind::Call { .. } => "CallPattern",
            PatternKind::Shape(_) => "PrimArrPattern",
            PatternKind::Or(..) => "OrPattern",
            PatternKind::And(..) => "AndPattern",
            PatternKind::Not(_) => "NotPattern",
            PatternKind::HasDType(..) => "DataTypePattern",
            PatternKind::HasShape(..) => "ShapePattern",
            PatternKind::HasAttrs(..) => "AttrPattern",
            PatternKind::HasStructInfo(..) => "StructInfoPattern",
            PatternKind::SameShape(..) => "SameShapeConstraint",
        }
    }

    /// The callee and the arguments of a pattern of a call of a value, or None.
    fn _call_parts(&self) -> Option<(Self, Vec<Self>)> {
        let PatternKind::Call { callee: CalleePattern::Value(callee), args } = self.0.kind() else { return None };
        let args = match args {
            ArgPatterns::Any => &[][..],
            ArgPatterns::Exactly(args) | ArgPatterns::First(args) => args,
        };
        Some((Self(callee.clone()), args.iter().cloned().map(Self).collect()))
    }

    /// The fields of a pattern of a tuple, or None.
    fn _tuple_fields(&self) -> Option<Vec<Self>> {
        match self.0.kind() {
            PatternKind::Tuple(fields) => Some(fields.iter().cloned().map(Self).collect()),
            _ => None,
        }
    }

    /// What the description says, by the names that the classes of patterns have for it.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(parts) = self.patterns(name) {
            return Ok(match parts {
                Parts::One(pattern) => Bound::new(py, Self(pattern.clone()))?.into_any(),
                Parts::Many(patterns) => PyTuple::new(py, patterns.iter().cloned().map(Self))?.into_any(),
            });
        }
        match self.value(name) {
            Some(value) => value.view(py),
            None => Err(PyAttributeError::new_err(format!("`{}` has no attribute `{name}`", self._kind()))),
        }
    }

    /// A dimension of a pattern of shapes, or the pattern of a field of the tuple that this describes.
    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        match self.0.kind() {
            PatternKind::Shape(dims) => match dims.get(index) {
                Some(dim) => Field::scalar(dim).view(py),
                None => Err(PyIndexError::new_err(format!("the shape has {} dimensions", dims.len()))),
            },
            _ => Ok(Bound::new(py, Self(Pattern::tuple_get(&self.0, Some(index))))?.into_any()),
        }
    }

    /// An error: every index gives a pattern, so that a loop over a pattern would not end.
    fn __iter__(&self) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err(format!("`{}` has no items to loop over", self._kind())))
    }

    /// Whether an expression fits. Variables are looked through by what they are bound to in `var2val`.
    #[pyo3(signature = (expr, var2val=None))]
    fn r#match(&self, expr: &Bound<'_, PyAny>, var2val: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
        Ok(self.matches(expr, var2val)?.is_some())
    }

    /// The expressions that the patterns match if an expression matches, by pattern; else None.
    #[pyo3(signature = (expr, var2val=None))]
    fn extract_matched_expr<'py>(
        &self,
        expr: &Bound<'py, PyAny>,
        var2val: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.matches(expr, var2val)?.map(|found| found_exprs(expr.py(), &found)).transpose()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> usize {
        self.0.address()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// Patterns in a pattern.
enum Parts<'p> {
    One(&'p Pattern),
    Many(&'p [Pattern]),
}

impl PyPattern {
    /// The patterns of this name in the pattern.
    fn patterns(&self, name: &str) -> Option<Parts<'_>> {
        Some(match (self.0.kind(), name) {
            (PatternKind::Tuple(fields) | PatternKind::UnorderedTuple(fields), "fields") => Parts::Many(fields),
            (PatternKind::TupleGet { tuple, .. }, "tuple") => Parts::One(tuple),
            (PatternKind::Call { callee: CalleePattern::Value(callee), .. }, "op") => Parts::One(callee),
            (PatternKind::Call { args: ArgPatterns::Any, .. }, "args") => Parts::Many(&[]),
            (PatternKind::Call { args: ArgPatterns::Exactly(args) | ArgPatterns::First(args), .. }, "args") => {
                Parts::Many(args)
            }
            (PatternKind::Or(left, _) | PatternKind::And(left, _), "left") => Parts::One(left),
            (PatternKind::Or(_, right) | PatternKind::And(_, right), "right") => Parts::One(right),
            (PatternKind::Not(reject), "reject") => Parts::One(reject),
            (
                PatternKind::HasDType(pattern, _)
                | PatternKind::HasShape(pattern, _)
                | PatternKind::HasAttrs(pattern, _)
                | PatternKind::HasStructInfo(pattern, _),
                "pattern",
            ) => Parts::One(pattern),
            _ => return None,
        })
    }

    /// What is no pattern of this name in the pattern.
    fn value(&self, name: &str) -> Option<Field> {
        let text = |name: &Option<std::sync::Arc<str>>| Field::text(name.clone().unwrap_or_default());
        Some(match (self.0.kind(), name) {
            (PatternKind::Op(op), "expr") => Field::Node(Node::Op(format!("relax.{}", op.name).into())),
            (PatternKind::Expr(expr), "expr") => Field::relax(expr),
            (PatternKind::Var(own) | PatternKind::DataflowVar(own) | PatternKind::GlobalVar(own), "name") => text(own),
            (PatternKind::ExternFunc(own), "global_symbol") => text(own),
            (PatternKind::TupleGet { index, .. }, "index") => {
                Field::Int(index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1))
            }
            (PatternKind::Shape(dims), "fields") | (PatternKind::HasShape(_, dims), "shape") => Field::scalars(dims),
            (PatternKind::HasDType(_, dtype), "dtype") => Field::dtype(*dtype),
            (PatternKind::HasAttrs(_, own), "attrs") => attrs::map(own),
            (PatternKind::HasStructInfo(_, own), "struct_info") => Field::info(own),
            _ => return None,
        })
    }

    fn matches(&self, expr: &Bound<'_, PyAny>, var2val: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Matches>> {
        let mut values: HashMap<Var, Expr> = HashMap::new();
        for (var, value) in var2val.into_iter().flatten() {
            values.insert(argument(&var, "var2val")?, argument(&value, "var2val")?);
        }
        Ok(pattern::match_expr(&self.0, &argument(expr, "expr")?, &|var| values.get(var).cloned()))
    }
}

fn found_exprs<'py>(py: Python<'py>, found: &Matches) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (pattern, expr) in found.iter() {
        dict.set_item(Bound::new(py, PyPattern(pattern.clone()))?, wrap(py, Node::Relax(expr.clone()))?)?;
    }
    Ok(dict)
}

fn found_vars<'py>(py: Python<'py>, found: &Matches) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (pattern, var) in found.vars() {
        dict.set_item(Bound::new(py, PyPattern(pattern.clone()))?, wrap(py, Node::Relax(Expr::var(var)))?)?;
    }
    Ok(dict)
}

/// Patterns, and the connections between the values that they match.
#[pyclass(frozen, subclass, name = "PatternContext", module = "tilewright.relax.dpl.context")]
pub(crate) struct PyContext(Mutex<PatternContext>);

#[pymethods]
impl PyContext {
    #[new]
    #[pyo3(signature = (incremental=false))]
    fn new(incremental: bool) -> Self {
        let _ = incremental;
        Self(Mutex::new(PatternContext::new()))
    }

    /// Adds a pattern that is to be found.
    fn add(&self, pattern: &PyPattern) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(&pattern.0);
    }

    /// The value of the consumer uses that of the producer, as this argument (-1: as any); with `only`, it is the only
    /// use.
    fn connect(&self, producer: &PyPattern, consumer: &PyPattern, index: i64, only: bool) {
        let mut context = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = usize::try_from(index).ok();
        match only {
            true => context.only_used_by(&producer.0, &consumer.0, index),
            false => context.used_by(&producer.0, &consumer.0, index),
        }
    }

    /// The variables that the patterns match first in the block, or None.
    fn match_dfb<'py>(&self, dfb: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let block: std::sync::Arc<BindingBlock> = argument(dfb, "dfb")?;
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).match_graph(&block);
        found.map(|found| found_vars(dfb.py(), &found)).transpose()
    }
}

fn function_of(object: &Bound<'_, PyAny>) -> PyResult<(std::sync::Arc<str>, std::sync::Arc<Function>)> {
    match node_of(object) {
        Some(Node::Function(name, function)) => Ok((name.clone(), function.clone())),
        _ => Err(error::wrong_type("expected a relax.Function", object)),
    }
}

/// An exception of a callback, kept until the rewriting that called it is over.
struct Raised(Option<PyErr>);

impl Raised {
    fn keep<T>(&mut self, result: PyResult<T>) -> Result<T, BuildError> {
        result.map_err(|error| {
            self.0 = Some(error);
            BuildError::State("the callback raised".to_owned())
        })
    }

    fn finish<'py>(
        self,
        func: &Bound<'py, PyAny>,
        rewritten: Result<Option<Function>, BuildError>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, (name, _)) = (func.py(), function_of(func)?);
        match (self.0, rewritten) {
            (Some(error), _) => Err(error),
            (None, Err(reason)) => Err(error::general(py, reason)),
            (None, Ok(None)) => Ok(func.clone()),
            (None, Ok(Some(function))) => wrap(py, Node::Function(name, function.into())),
        }
    }
}

/// Replaces every expression of a function that fits by what `rewriter(expr, matches)` gives.
#[pyfunction]
pub(crate) fn rewrite_call<'py>(
    pattern: &PyPattern,
    rewriter: &Bound<'py, PyAny>,
    func: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, function) = (func.py(), function_of(func)?.1);
    let mut raised = Raised(None);
    let mut rewrite = |expr: &Expr, found: &Matches| {
        let answer = (|| {
            let matches = found_exprs(py, found)?;
            let answer = rewriter.call1((wrap(py, Node::Relax(expr.clone()))?, matches))?;
            argument::<Expr>(&answer, "the rewriter's result")
        })();
        raised.keep(answer)
    };
    let rewritten = pattern::rewrite_call(&mut BlockBuilder::new(), &pattern.0, &mut rewrite, &function);
    raised.finish(func, rewritten)
}

/// Gives bindings of dataflow blocks new values: `rewriter(matches, bindings)` maps variables to them, where the
/// context fits.
#[pyfunction]
pub(crate) fn rewrite_bindings<'py>(
    ctx: &PyContext,
    rewriter: &Bound<'py, PyAny>,
    func: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, function) = (func.py(), function_of(func)?.1);
    let context = ctx.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut raised = Raised(None);
    let mut rewrite = |found: &Matches, values: &tilewright::support::OrderedMap<Var, Expr>| {
        let answer = (|| {
            let bindings = values.iter().map(|(var, value)| (Field::relax_var(var), Field::relax(value)));
            let bindings = Field::Dict(bindings.collect()).view(py)?;
            let answer = rewriter.call1((found_vars(py, found)?, bindings))?;
            let mut new = Vec::new();
            for (var, value) in answer.cast::<PyDict>().map_err(PyErr::from)? {
                new.push((argument::<Var>(&var, "a variable")?, argument::<Expr>(&value, "its value")?));
            }
            Ok(new)
        })();
        raised.keep(answer)
    };
    let rewritten = pattern::rewrite_bindings(&mut BlockBuilder::new(), &context, &mut rewrite, &function);
    raised.finish(func, rewritten)
}

/// The pattern of an operator with an optional bias added and an optional activation.
#[pyfunction]
#[pyo3(signature = (op_name, with_bias=false, activation=None))]
pub(crate) fn make_fused_bias_activation_pattern(
    py: Python<'_>,
    op_name: &str,
    with_bias: bool,
    activation: Option<&str>,
) -> PyResult<PyPattern> {
    let short = |name: &str| name.strip_prefix("relax.").unwrap_or(name).to_owned();
    let activation = activation.map(short);
    let made = pattern::fused_bias_activation(&short(op_name), with_bias, activation.as_deref());
    made.map(PyPattern).map_err(|reason| error::general(py, reason))
}

/// Edits one dataflow block of a function.
#[pyclass(frozen, subclass, name = "DataflowBlockRewrite", module = "tilewright.relax.binding_rewrite")]
pub(crate) struct PyBlockRewrite(Mutex<DataflowBlockRewrite>);

impl PyBlockRewrite {
    fn change<T>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut DataflowBlockRewrite) -> Result<T, BuildError>,
    ) -> PyResult<T> {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)).map_err(|reason| error::general(py, reason))
    }
}

#[pymethods]
impl PyBlockRewrite {
    #[new]
    fn new(dfb: &Bound<'_, PyAny>, root_fn: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (block, function) = (argument::<std::sync::Arc<BindingBlock>>(dfb, "dfb")?, function_of(root_fn)?.1);
        let edit = DataflowBlockRewrite::of_block(&block, &function);
        Ok(Self(Mutex::new(edit.map_err(|reason| error::general(dfb.py(), reason))?)))
    }

    /// Uses the new variable wherever the old one is used.
    fn replace_all_uses(&self, old_var: &Bound<'_, PyAny>, new_var: &Bound<'_, PyAny>) -> PyResult<()> {
        let (old, new): (Var, Var) = (argument(old_var, "old_var")?, argument(new_var, "new_var")?);
        self.change(old_var.py(), |edit| edit.replace_all_uses(&old, &new))
    }

    /// Adds a binding of an expression, or one that is made already.
    #[pyo3(signature = (expr, name=None, is_dfvar=false))]
    fn add(&self, expr: &Bound<'_, PyAny>, name: Option<&str>, is_dfvar: bool) -> PyResult<()> {
        if let Some(Node::Binding(binding)) = node_of(expr) {
            return self.change(expr.py(), |edit| {
                edit.add_binding((**binding).clone());
                Ok(())
            });
        }
        let value: Expr = argument(expr, "expr")?;
        self.change(expr.py(), |edit| {
            edit.add(&value, name, is_dfvar);
            Ok(())
        })
    }

    /// Removes the binding of an unused variable.
    #[pyo3(signature = (var, allow_undef=false))]
    fn remove_unused(&self, var: &Bound<'_, PyAny>, allow_undef: bool) -> PyResult<()> {
        let unused: Var = argument(var, "var")?;
        self.change(var.py(), |edit| edit.remove_unused(&unused, allow_undef).map(drop))
    }

    /// Removes every unused binding.
    fn remove_all_unused(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |edit| {
            edit.remove_all_unused();
            Ok(())
        })
    }

    /// The block as it is now.
    fn mutated_dfb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let block = self.change(py, |edit| Ok(edit.block().clone()))?;
        wrap(py, Node::BindingBlock(block.into()))
    }

    /// The function with the block as it is now.
    fn mutated_root_fn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let function = self.change(py, |edit| edit.function())?;
        let name = function.global_symbol().unwrap_or("main").into();
        wrap(py, Node::Function(name, function.into()))
    }

    /// The module with the given function replaced by its current state.
    fn mutate_irmodule(&self, irmodule: &Bound<'_, PyAny>) -> PyResult<PyModule> {
        let (py, module) = (irmodule.py(), module_of(irmodule)?);
        let name = self.change(py, |edit| Ok(edit.function()?.global_symbol().map(str::to_owned)))?;
        let name = name.ok_or_else(|| error::general(py, "the function has no `global_symbol` to be found by"))?;
        self.change(py, |edit| edit.module(&module, &name)).map(PyModule::of)
    }
}
