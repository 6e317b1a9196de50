//! Functions that can be called: those of a machine, and those that the process provides by name.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::Value;
use tilewright::runtime::{self, PackedFunc, registry};

use crate::value::{arguments, packed, runtime_error, to_python};
use crate::{argument, error};

/// A function: of a machine, or by name.
#[pyclass(frozen, name = "PackedFunc", module = "tilewright.runtime.packed_func")]
pub(crate) struct Function(Inner);

enum Inner {
    Machine {
        function: runtime::Function,
        /// Its result is handed on.
        gives: bool,
    },
    Packed {
        name: String,
        function: PackedFunc,
    },
}

impl Function {
    pub(crate) fn machine(function: runtime::Function) -> Self {
        Self(Inner::Machine { function, gives: true })
    }

    /// A function whose result is dropped.
    pub(crate) fn without_result(function: runtime::Function) -> Self {
        Self(Inner::Machine { function, gives: false })
    }

    pub(crate) fn packed(name: &str, function: PackedFunc) -> Self {
        Self(Inner::Packed { name: name.to_owned(), function })
    }

    /// The function as a value for other functions.
    pub(crate) fn to_value(&self) -> Value {
        match &self.0 {
            Inner::Machine { function, gives: true } => Value::Closure(function.clone()),
            Inner::Machine { function, gives: false } => {
                let function = function.clone();
                Value::Function(Arc::new(move |args| function.call(args).map(|_| Value::None)))
            }
            Inner::Packed { function, .. } => Value::Function(function.clone()),
        }
    }

    fn run(&self, args: &[Value]) -> runtime::Result<Value> {
        match &self.0 {
            Inner::Machine { function, gives: true } => function.call(args),
            Inner::Machine { function, gives: false } => function.call(args).map(|_| Value::None),
            Inner::Packed { name, function } => runtime::nested(name, || function(args)),
        }
    }
}

#[pymethods]
impl Function {
    #[getter]
    fn name(&self) -> &str {
        match &self.0 {
            Inner::Machine { function, .. } => function.name(),
            Inner::Packed { name, .. } => name,
        }
    }

    /// Runs the function without the GIL; its callbacks take it again on this thread.
    #[pyo3(signature = (*args))]
    pub(crate) fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let values = arguments(args)?;
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
pub(crate) fn register_func(
    #[pyo3(from_py_with = argument::function_name)] name: String,
    function: &Bound<'_, PyAny>,
    replace: bool,
) -> PyResult<()> {
    let py = function.py();
    if !function.is_callable() {
        return Err(error::wrong_type(format_args!("expected a function to register as \"{name}\""), function));
    }
    let function = match function.cast::<Function>() {
        Ok(function) => function.get().to_value(),
        Err(_) => Value::Function(packed(function.clone().unbind())),
    };
    // The function that is replaced may be the last reference to a Python object.
    let outcome = py.detach(|| match replace {
        true => {
            registry::register_override(&name, move |args| function.call(args));
            Ok(())
        }
        false => registry::register(&name, move |args| function.call(args)),
    });
    outcome.map_err(|e| runtime_error(py, e))
}

/// Removes the function of a global name; an unknown name is an error.
#[pyfunction]
pub(crate) fn remove_global_func(
    py: Python<'_>,
    #[pyo3(from_py_with = argument::function_name)] name: String,
) -> PyResult<()> {
    // Asked for first, for the message of an unknown name.
    registry::get(&name).map_err(|e| runtime_error(py, e))?;
    py.detach(|| registry::unregister(&name));
    Ok(())
}

/// The names of all registered functions, in order.
#[pyfunction]
pub(crate) fn list_global_func_names() -> Vec<String> {
    registry::names()
}

/// The function of a global name; `None` for an unknown one only where it may be missing.
#[pyfunction]
pub(crate) fn get_global_func(
    py: Python<'_>,
    #[pyo3(from_py_with = argument::function_name)] name: String,
    allow_missing: bool,
) -> PyResult<Option<Function>> {
    match registry::get(&name) {
        Ok(function) => Ok(Some(Function::packed(&name, function))),
        Err(_) if allow_missing => Ok(None),
        Err(error) => Err(runtime_error(py, error)),
    }
}
