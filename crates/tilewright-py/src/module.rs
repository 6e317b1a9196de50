//! Modules and functions of the IR, as Python holds them.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tilewright::ir::node::{EqCx, HashCx};
use tilewright::ir::relax::Function;
use tilewright::ir::tir::PrimFunc;
use tilewright::script::print::{self, PrintOptions};
use tilewright::{GlobalFunc, IRModule};

use crate::error;

/// A reference to a function of a module.
#[pyclass(frozen, eq, hash, name = "GlobalVar", module = "tilewright.ir.module")]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PyGlobalVar {
    #[pyo3(get)]
    name_hint: String,
}

#[pymethods]
impl PyGlobalVar {
    #[new]
    fn new(name_hint: String) -> Self {
        Self { name_hint }
    }

    fn __repr__(&self) -> String {
        format!("GlobalVar({:?})", self.name_hint)
    }
}

/// A module.
#[pyclass(frozen, name = "IRModule", module = "tilewright.ir.module")]
#[derive(Clone, Debug)]
pub(crate) struct PyModule(pub(crate) Arc<IRModule>);

/// A function of the loop level.
#[pyclass(frozen, name = "PrimFunc", module = "tilewright.tir.function")]
#[derive(Clone, Debug)]
pub(crate) struct PyPrimFunc {
    /// Its name in its module, or in the text that defined it.
    pub(crate) name: Arc<str>,
    pub(crate) function: Arc<PrimFunc>,
}

/// A function of the graph level.
#[pyclass(frozen, name = "Function", module = "tilewright.relax.expr")]
#[derive(Clone, Debug)]
pub(crate) struct PyFunction {
    /// Its name in its module, or in the text that defined it.
    pub(crate) name: Arc<str>,
    pub(crate) function: Arc<Function>,
}

fn options(show_meta: bool) -> PrintOptions {
    PrintOptions { show_meta, ..PrintOptions::default() }
}

/// Prints text as Python's highlighter does.
fn show(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("tilewright.script.highlight")?.call_method1("cprint", (text,)).map(drop)
}

/// The Python object of a function.
pub(crate) fn function_object<'py>(
    py: Python<'py>,
    name: &Arc<str>,
    function: &GlobalFunc,
) -> PyResult<Bound<'py, PyAny>> {
    let name = name.clone();
    Ok(match function {
        GlobalFunc::Prim(function) => Bound::new(py, PyPrimFunc { name, function: function.clone() })?.into_any(),
        GlobalFunc::Relax(function) => Bound::new(py, PyFunction { name, function: function.clone() })?.into_any(),
    })
}

/// The function in a Python object, with its name.
pub(crate) fn function_of(object: &Bound<'_, PyAny>) -> PyResult<(Arc<str>, GlobalFunc)> {
    if let Ok(object) = object.cast::<PyPrimFunc>() {
        let PyPrimFunc { name, function } = object.get();
        return Ok((name.clone(), GlobalFunc::Prim(function.clone())));
    }
    if let Ok(object) = object.cast::<PyFunction>() {
        let PyFunction { name, function } = object.get();
        return Ok((name.clone(), GlobalFunc::Relax(function.clone())));
    }
    Err(error::wrong_type("expected a PrimFunc or a relax.Function", object))
}

/// A function's name: a string or a GlobalVar.
fn name_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    match object.cast::<PyGlobalVar>() {
        Ok(var) => Ok(var.get().name_hint.clone()),
        Err(_) => object.extract(),
    }
}

#[pymethods]
impl PyModule {
    /// A module of these functions by name.
    #[new]
    #[pyo3(signature = (functions=None))]
    fn new(functions: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut module = IRModule::new();
        for (name, function) in functions.into_iter().flatten() {
            module.insert(name_of(&name)?, function_of(&function)?.1);
        }
        Ok(Self(Arc::new(module)))
    }

    /// The module as TVMScript; with `show_meta` the constants' values too, so that it reads back anywhere.
    #[pyo3(signature = (*, show_meta=false))]
    fn script(&self, show_meta: bool) -> String {
        print::print_module(&self.0, &options(show_meta))
    }

    /// Prints the script, in colour on a terminal.
    #[pyo3(signature = (*, show_meta=false))]
    fn show(&self, py: Python<'_>, show_meta: bool) -> PyResult<()> {
        show(py, &self.script(show_meta))
    }

    fn get_global_vars(&self) -> Vec<PyGlobalVar> {
        self.0.sorted().into_iter().map(|(name, _)| PyGlobalVar { name_hint: name.to_string() }).collect()
    }

    fn get_global_var(&self, py: Python<'_>, name: String) -> PyResult<PyGlobalVar> {
        self.find(py, &name)?;
        Ok(PyGlobalVar { name_hint: name })
    }

    /// The functions by GlobalVar.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let functions = PyDict::new(py);
        for (name, function) in self.0.sorted() {
            functions.set_item(PyGlobalVar { name_hint: name.to_string() }, function_object(py, name, function)?)?;
        }
        Ok(functions)
    }

    fn __getitem__<'py>(&self, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, name) = (name.py(), name_of(name)?);
        function_object(py, &name.as_str().into(), self.find(py, &name)?)
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.get(&name_of(name)?).is_some())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __str__(&self) -> String {
        self.script(false)
    }

    fn __repr__(&self) -> String {
        self.script(false)
    }
}

impl PyModule {
    fn find(&self, py: Python<'_>, name: &str) -> PyResult<&GlobalFunc> {
        self.0.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.0.sorted().into_iter().map(|(name, _)| &**name).collect();
            error::general(py, format_args!("the module has no function `{name}`, only {}", known.join(", ")))
        })
    }
}

macro_rules! script_methods {
    ($class:ty, $print:path) => {
        #[pymethods]
        impl $class {
            /// The function as TVMScript; with `show_meta` the constants' values too.
            #[pyo3(signature = (*, show_meta=false))]
            fn script(&self, show_meta: bool) -> String {
                $print(&self.name, &self.function, &options(show_meta))
            }

            /// Prints the script, in colour on a terminal.
            #[pyo3(signature = (*, show_meta=false))]
            fn show(&self, py: Python<'_>, show_meta: bool) -> PyResult<()> {
                show(py, &self.script(show_meta))
            }

            fn __str__(&self) -> String {
                self.script(false)
            }

            fn __repr__(&self) -> String {
                self.script(false)
            }
        }
    };
}

script_methods!(PyPrimFunc, print::print_prim_func);
script_methods!(PyFunction, print::print_function);

/// A module, or a function as one.
enum Node {
    Module(Arc<IRModule>),
    Function(GlobalFunc),
}

fn node(object: &Bound<'_, PyAny>) -> PyResult<Node> {
    match object.cast::<PyModule>() {
        Ok(module) => Ok(Node::Module(module.get().0.clone())),
        Err(_) => Ok(Node::Function(function_of(object)?.1)),
    }
}

fn compare(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Result<(), String>> {
    Ok(match (node(a)?, node(b)?) {
        (Node::Module(a), Node::Module(b)) => a.compare(&b),
        (Node::Function(a), Node::Function(b)) => EqCx::compare(&a, &b),
        _ => Err("one is a module, the other a function".to_owned()),
    })
}

/// Whether two modules or functions have the same structure, whatever their variables are called.
#[pyfunction]
pub(crate) fn structural_equal(lhs: &Bound<'_, PyAny>, rhs: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(compare(lhs, rhs)?.is_ok())
}

/// Raises `ValueError` with the path to the first difference, unless the two have the same structure.
#[pyfunction]
pub(crate) fn assert_structural_equal(lhs: &Bound<'_, PyAny>, rhs: &Bound<'_, PyAny>) -> PyResult<()> {
    compare(lhs, rhs)?.map_err(|path| PyValueError::new_err(format!("the two differ in structure: {path}")))
}

/// A hash that is the same for whatever is equal in structure.
#[pyfunction]
pub(crate) fn structural_hash(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(match node(object)? {
        Node::Module(module) => HashCx::hash(&*module),
        Node::Function(function) => HashCx::hash(&function),
    })
}

/// A script with terminal colours.
#[pyfunction]
pub(crate) fn highlight(text: &str) -> String {
    print::highlight(text)
}
