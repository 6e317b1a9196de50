//! The block builder as a Python class; `tilewright.relax.BlockBuilder` gives it its context managers.

use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tilewright::expr::Expr as Scalar;
use tilewright::ir::builder::{BlockBuilder, BuildError};
use tilewright::ir::relax::{Expr, ExprKind, SeqExpr, StructInfo, Var};
use tilewright::support::{Origins, SourceFile, Span};

use super::{Field, Node, argument, attrs, node_of, wrap};
use crate::error;
use crate::module::{PyModule, function_of};
use crate::pass::module_of;

/// Builds graph functions binding by binding.
#[pyclass(frozen, subclass, name = "BlockBuilder", module = "tilewright.relax.block_builder")]
pub(crate) struct PyBuilder(Mutex<BlockBuilder>);

impl PyBuilder {
    pub(crate) fn lock(&self) -> MutexGuard<'_, BlockBuilder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A value to be emitted. A sequence gives its result, after its bindings are emitted.
    fn value(&self, object: &Bound<'_, PyAny>, name: &str) -> PyResult<Expr> {
        let Some(Node::Seq(seq)) = node_of(object) else { return argument(object, name) };
        self.lock().emit_sequence(seq).map_err(failed(object.py()))
    }
}

fn failed(py: Python<'_>) -> impl Fn(BuildError) -> PyErr {
    move |reason| error::general(py, reason)
}

/// A name that was wished for; a text without letters is none.
fn wish(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

#[pymethods]
impl PyBuilder {
    /// A builder, which may add to a module.
    #[new]
    #[pyo3(signature = (r#mod=None))]
    fn new(r#mod: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let builder = match r#mod {
            Some(module) if !module.is_none() => BlockBuilder::with_module((*module_of(module)?).clone()),
            _ => BlockBuilder::new(),
        };
        Ok(Self(Mutex::new(builder)))
    }

    fn _begin_function(
        &self,
        name: &str,
        params: &Bound<'_, PyAny>,
        said: &Bound<'_, PyAny>,
        pure: bool,
    ) -> PyResult<()> {
        let params: Vec<Var> = argument(params, "params")?;
        let said = attrs::attrs_of(said)?;
        self.lock().begin_function_with(name, params, said, pure);
        Ok(())
    }

    /// Bindings emitted from here on have this line of the user's source as origin.
    fn _set_place(&self, file: &str, line: usize, text: &str) {
        let source = SourceFile::part(file, text, line.saturating_sub(1));
        let (start, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
        let span = Span::new(&source, start.min(end) as u32, end as u32);
        self.lock().set_origins(Origins::at(span));
    }

    fn _set_params(&self, params: &Bound<'_, PyAny>) -> PyResult<()> {
        let vars = argument(params, "params")?;
        self.lock().set_params(vars).map_err(failed(params.py()))
    }

    fn _begin_dataflow(&self, py: Python<'_>) -> PyResult<()> {
        self.lock().begin_dataflow().map_err(failed(py))
    }

    fn _end_dataflow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let block = self.lock().end_dataflow().map_err(failed(py))?;
        wrap(py, Node::BindingBlock(block.into()))
    }

    fn _begin_sequence(&self) {
        self.lock().begin_sequence();
    }

    /// The sequence that is open, with a result.
    fn _end_sequence<'py>(&self, result: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let value: Expr = argument(result, "result")?;
        let seq: SeqExpr = self.lock().end_sequence(&value).map_err(failed(result.py()))?;
        wrap(result.py(), Node::Seq(seq.into()))
    }

    fn _abandon(&self) {
        self.lock().abandon_sequence();
    }

    fn _in_dataflow(&self) -> bool {
        self.lock().in_dataflow()
    }

    fn _in_function(&self) -> bool {
        self.lock().in_function()
    }

    /// A name like this one that nothing in the current function has.
    fn get_unique_name(&self, name_prefix: &str) -> String {
        self.lock().unique_name(name_prefix)
    }

    /// Binds the value, in normal form, to a new variable.
    #[pyo3(signature = (expr, name_hint=""))]
    fn emit<'py>(&self, expr: &Bound<'py, PyAny>, name_hint: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (expr.py(), self.value(expr, "expr")?);
        let var = self.lock().emit_named(&value, wish(name_hint)).map_err(failed(py))?;
        wrap(py, Node::Relax(Expr::var(&var)))
    }

    /// Binds the value to an output of the dataflow block.
    #[pyo3(signature = (output, name_hint=""))]
    fn emit_output<'py>(&self, output: &Bound<'py, PyAny>, name_hint: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (output.py(), self.value(output, "output")?);
        let var = self.lock().emit_output_named(&value, wish(name_hint)).map_err(failed(py))?;
        wrap(py, Node::Relax(Expr::var(&var)))
    }

    /// The value, checked at run time against the struct info.
    #[pyo3(signature = (value, struct_info, name_hint=""))]
    fn match_cast<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        struct_info: &Bound<'py, PyAny>,
        name_hint: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let (value, info): (Expr, StructInfo) = (argument(value, "value")?, argument(struct_info, "struct_info")?);
        let var = self.lock().emit_match_cast_named(&value, info, wish(name_hint)).map_err(failed(py))?;
        wrap(py, Node::Relax(Expr::var(&var)))
    }

    /// Adds a binding as it is.
    fn emit_normalized(&self, binding: &Bound<'_, PyAny>) -> PyResult<()> {
        let added: std::sync::Arc<tilewright::ir::relax::Binding> = argument(binding, "binding")?;
        self.lock().emit_binding((*added).clone()).map_err(failed(binding.py()))
    }

    fn _emit_func_output<'py>(&self, output: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (output.py(), argument::<Expr>(output, "output")?);
        let global = self.lock().emit_func_output(&value).map_err(failed(py))?;
        let warnings = self.lock().take_warnings();
        for warning in warnings {
            // Below the methods of the Python class, at the user's own line.
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(warning.replace('\0', " "))?, 2)?;
        }
        wrap(py, Node::Relax(Expr::global(&global)))
    }

    /// The expression in normal form, with its struct info by the rules; what it needs is emitted.
    fn normalize<'py>(&self, expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (expr.py(), self.value(expr, "expr")?);
        let value = self.lock().normalize(&value).map_err(failed(py))?;
        wrap(py, Node::Relax(value))
    }

    /// The value that a variable was bound to, or None.
    fn lookup_binding<'py>(&self, var: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let key: Var = argument(var, "var")?;
        let found = self.lock().lookup_binding(&key).cloned();
        Field::optional(found, |value| Field::relax(&value)).view(var.py())
    }

    /// Begins a scope of symbolic dimensions, those of the parameters.
    #[pyo3(signature = (params=None))]
    fn begin_scope(&self, params: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let params: Vec<Var> = match params {
            Some(params) if !params.is_none() => argument(params, "params")?,
            _ => Vec::new(),
        };
        self.lock().begin_scope(&params);
        Ok(())
    }

    /// Ends the innermost scope of symbolic dimensions.
    fn end_scope(&self, py: Python<'_>) -> PyResult<()> {
        self.lock().end_scope().map_err(failed(py))
    }

    /// Adds a function to the module, under this name or one like it.
    fn add_func<'py>(&self, func: &Bound<'py, PyAny>, func_name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (_, function) = function_of(func)?;
        let global = self.lock().add_func(function, func_name);
        wrap(func.py(), Node::Relax(Expr::global(&global)))
    }

    /// Replaces a function of the module.
    fn update_func(&self, gv: &Bound<'_, PyAny>, updated_func: &Bound<'_, PyAny>) -> PyResult<()> {
        let global: Expr = argument(gv, "gv")?;
        let ExprKind::GlobalVar(global) = &global.kind else {
            return Err(error::wrong_type("expected a GlobalVar", gv));
        };
        self.lock().update_func(global, function_of(updated_func)?.1).map(drop).map_err(failed(gv.py()))
    }

    /// The module as it is now.
    fn get(&self) -> PyModule {
        PyModule::of(self.lock().get().clone())
    }

    /// The module; the builder begins anew.
    fn finalize(&self, py: Python<'_>) -> PyResult<PyModule> {
        let builder = std::mem::take(&mut *self.lock());
        builder.finalize().map(PyModule::of).map_err(failed(py))
    }

    /// Tells what a symbolic dimension is: at least this.
    fn _assume_at_least(&self, var: &Bound<'_, PyAny>, least: i64) -> PyResult<()> {
        let value: Scalar = argument(var, "var")?;
        if let Some(var) = value.as_var() {
            self.lock().analyzer().bind_bounds(var, Some(least), None);
        }
        Ok(())
    }
}
