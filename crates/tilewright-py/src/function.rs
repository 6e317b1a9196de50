//! Functions that can be called: those of a machine, and those that the process provides by name.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::Value;
use tilewright::runtime::{self, PackedFunc, registry};

use crate::value::{from_python, packed, runtime_error, to_python};

/// A function: of a machine, or by name.
#[pyclass(frozen, name = "PackedFunc", module = "tilewright.runtime.packed_func")]
pub(crate) struct Function(Inner);

enum Inner {
    Machine(runtime::Function),
    Packed { name: String, function: PackedFunc },
}

impl Function {
    pub(crate) fn machine(function: runtime::Function) -> Self {
        Self(Inner::Machine(function))
    }

    pub(crate) fn packed(name: &str, function: PackedFunc) -> Self {
        Self(Inner::Packed { name: name.to_owned(), function })
    }

    pub(crate) fn to_packed(&self) -> PackedFunc {
        match &self.0 {
            Inner::Machine(function) => function.to_packed(),
            Inner::Packed { function, .. } => function.clone(),
        }
    }

    /// The function as a value of programs.
    pub(crate) fn to_value(&self) -> Value {
        match &self.0 {
            Inner::Machine(function) => Value::Closure(function.clone()),
            Inner::Packed { function, .. } => Value::Function(function.clone()),
        }
    }

    fn run(&self, args: &[Value]) -> runtime::Result<Value> {
        match &self.0 {
            Inner::Machine(function) => function.call(args),
            Inner::Packed { function, .. } => function(args),
        }
    }
}

#[pymethods]
impl Function {
    #[getter]
    fn name(&self) -> &str {
        match &self.0 {
            Inner::Machine(function) => function.name(),
            Inner::Packed { name, .. } => name,
        }
    }

    /// Runs the function without the GIL; its callbacks take it again on this thread.
    #[pyo3(signature = (*args))]
    pub(crate) fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let values = args.iter_borrowed().map(|arg| from_python(&arg)).collect::<PyResult<Vec<_>>>()?;
        match py.detach(|| self.run(&values)) {
            Ok(value) => to_python(py, &value),
            Err(error) => Err(runtime_error(py, error)),
        }
    }

    fn __repr__(&self) -> String {
        format!("<function {:?}>", self.name())
    }
}

/// Registers a Python function under a global name.
#[pyfunction]
pub(crate) fn register_func(name: &str, function: &Bound<'_, PyAny>, replace: bool) -> PyResult<()> {
    let py = function.py();
    if !function.is_callable() {
        let found = function.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected a function to register as \"{name}\", found {found}")));
    }
    let function = match function.cast::<Function>() {
        Ok(function) => function.get().to_packed(),
        Err(_) => packed(function.clone().unbind()),
    };
    if replace {
        registry::register_override(name, move |args| function(args));
        return Ok(());
    }
    registry::register(name, move |args| function(args)).map_err(|e| runtime_error(py, e))
}

/// The function of a global name; `None` for an unknown one only where it may be missing.
#[pyfunction]
pub(crate) fn get_global_func(py: Python<'_>, name: &str, allow_missing: bool) -> PyResult<Option<Function>> {
    match registry::get(name) {
        Ok(function) => Ok(Some(Function::packed(name, function))),
        Err(_) if allow_missing => Ok(None),
        Err(error) => Err(runtime_error(py, error)),
    }
}
