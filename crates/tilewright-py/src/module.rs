//! Modules of the IR, as Python holds them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tilewright::ir::GlobalInfo;
use tilewright::ir::relax::Expr;
use tilewright::ir::rename::{RenameError, replace_global_vars};
use tilewright::script::print::{self, PrintOptions};
use tilewright::tensor::DataType;
use tilewright::{GlobalFunc, IRModule};

use crate::view::{self, Field, Node, attr_of, attrs_of, function_name};
use crate::{error, structure};

/// A module. Functions may be added and replaced; a module that was handed to a pass or compiled stays as it was then.
#[pyclass(frozen, subclass, dict, name = "IRModule", module = "tilewright.ir.module")]
#[derive(Debug)]
pub(crate) struct PyModule(Mutex<Arc<IRModule>>);

impl PyModule {
    pub(crate) fn of(module: impl Into<Arc<IRModule>>) -> Self {
        Self(Mutex::new(module.into()))
    }

    /// The module as it is now.
    pub(crate) fn ir(&self) -> Arc<IRModule> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut IRModule) -> T) -> T {
        change(Arc::make_mut(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn changed(&self, change: impl FnOnce(&mut IRModule)) -> Self {
        let mut module = (*self.ir()).clone();
        change(&mut module);
        Self::of(module)
    }
}

/// The keyword arguments of `script()` and `show()`.
pub(crate) fn print_options(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<PrintOptions> {
    let mut options = PrintOptions::default();
    for (name, value) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        set_option(&mut options, &name, &value).map_err(|cause| {
            match cause.is_instance_of::<PyOverflowError>(value.py()) {
                true => PyValueError::new_err(format!("`script()`: the option `{name}` is out of range")),
                false => cause,
            }
        })?;
    }
    Ok(options)
}

fn set_option(options: &mut PrintOptions, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "show_meta" => options.show_meta = value.extract()?,
        "width" => options.width = value.extract()?,
        "indent_spaces" => options.indent = value.extract()?,
        "name" if value.is_none() => {}
        "name" => options.name = value.extract()?,
        "ir_prefix" => options.prefixes.ir = value.extract()?,
        "tir_prefix" => options.prefixes.tir = value.extract()?,
        "relax_prefix" => options.prefixes.relax = value.extract()?,
        "module_alias" => options.module_alias = value.extract()?,
        "buffer_dtype" => options.buffer_dtype = dtype(value)?,
        "int_dtype" => options.int_dtype = dtype(value)?,
        "float_dtype" => options.float_dtype = dtype(value)?,
        "syntax_sugar" => options.syntax_sugar = value.extract()?,
        "show_all_struct_info" => options.show_all_struct_info = value.extract()?,
        "print_line_numbers" => options.line_numbers = value.extract()?,
        // Colours are the terminal's, and line breaks the printer's own.
        "style" | "black_format" => {}
        "verbose_expr" => options.verbose_expr = value.extract()?,
        "num_context_lines" if value.is_none() => {}
        // Names carry no addresses: text depends on the module alone.
        "show_object_address" => {
            value.extract::<bool>()?;
        }
        other if structure::mark_option(&mut options.marks, other, value)? => {}
        other => return Err(PyTypeError::new_err(format!("`script()` has no option `{other}`"))),
    }
    Ok(())
}

fn dtype(value: &Bound<'_, PyAny>) -> PyResult<DataType> {
    let text = value.str()?.to_string();
    text.parse().map_err(|_| PyTypeError::new_err(format!("`{text}` is no data type")))
}

/// Prints text as Python's highlighter does.
pub(crate) fn show(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("tilewright.script.highlight")?.call_method1("cprint", (text,)).map(drop)
}

/// The Python object of a function.
pub(crate) fn function_object<'py>(
    py: Python<'py>,
    name: &Arc<str>,
    function: &GlobalFunc,
) -> PyResult<Bound<'py, PyAny>> {
    let name = name.clone();
    let node = match function {
        GlobalFunc::Prim(function) => Node::PrimFunc(name, function.clone()),
        GlobalFunc::Relax(function) => Node::Function(name, function.clone()),
    };
    view::wrap(py, node)
}

/// The function in a Python object, with its name.
pub(crate) fn function_of(object: &Bound<'_, PyAny>) -> PyResult<(Arc<str>, GlobalFunc)> {
    match view::node_of(object) {
        Some(Node::PrimFunc(name, function)) => Ok((name.clone(), GlobalFunc::Prim(function.clone()))),
        Some(Node::Function(name, function)) => Ok((name.clone(), GlobalFunc::Relax(function.clone()))),
        _ => Err(error::wrong_type("expected a PrimFunc or a relax.Function", object)),
    }
}

fn global<'py>(py: Python<'py>, module: &IRModule, name: &str) -> PyResult<Bound<'py, PyAny>> {
    match module.global_var(name) {
        Some(global) => view::wrap(py, Node::Relax(Expr::global(&global))),
        None => Err(missing(py, module, name)),
    }
}

fn missing(py: Python<'_>, module: &IRModule, name: &str) -> PyErr {
    error::unknown_name(py, RenameError::missing(module, name))
}

/// Lists of devices and the like, by name.
fn global_infos(infos: &Bound<'_, PyAny>) -> PyResult<BTreeMap<Arc<str>, Vec<GlobalInfo>>> {
    if infos.is_none() {
        return Ok(BTreeMap::new());
    }
    let list = |item: PyResult<Bound<'_, PyAny>>| {
        let (name, list): (String, Bound<'_, PyAny>) = item?.extract()?;
        let list = list.try_iter()?.map(|info| global_info(&info?)).collect::<PyResult<_>>()?;
        Ok((Arc::from(name), list))
    };
    infos.call_method0("items")?.try_iter()?.map(list).collect()
}

fn global_info(object: &Bound<'_, PyAny>) -> PyResult<GlobalInfo> {
    match view::node_of(object) {
        Some(Node::VDevice(device)) => Ok(GlobalInfo::VDevice(device.clone())),
        Some(Node::DummyInfo) => Ok(GlobalInfo::Dummy),
        _ => Err(error::wrong_type("expected a VDevice or a DummyGlobalInfo", object)),
    }
}

#[pymethods]
impl PyModule {
    /// A module of these functions, by name or GlobalVar, with attributes and global infos.
    #[new]
    #[pyo3(signature = (functions=None, attrs=None, global_infos=None))]
    fn new(
        functions: Option<&Bound<'_, PyAny>>,
        attrs: Option<&Bound<'_, PyAny>>,
        global_infos: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut module = IRModule::new();
        if let Some(functions) = functions {
            insert_all(&mut module, functions)?;
        }
        if let Some(attrs) = attrs {
            module.attrs = attrs_of(attrs)?;
        }
        if let Some(infos) = global_infos {
            module.global_infos = self::global_infos(infos)?;
        }
        Ok(Self::of(module))
    }

    /// A module of the function, under its symbol or as `main`, with others by name.
    #[staticmethod]
    #[pyo3(signature = (expr, functions=None))]
    fn from_expr(expr: &Bound<'_, PyAny>, functions: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (_, function) = function_of(expr)?;
        let mut module = IRModule::new();
        if let Some(functions) = functions {
            insert_all(&mut module, functions)?;
        }
        let name: Arc<str> = function.global_symbol().unwrap_or("main").into();
        module.insert(name, function);
        Ok(Self::of(module))
    }

    /// The module as TVMScript; see `tilewright.script` for the options. With `show_meta` it has the constants' values
    /// too, so that it reads back anywhere.
    #[pyo3(signature = (**options))]
    fn script(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        Ok(print::print_module(&self.ir(), &print_options(options)?))
    }

    /// Prints the script, in colour on a terminal.
    #[pyo3(signature = (**options))]
    fn show(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        show(py, &self.script(options)?)
    }

    fn get_global_vars<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let module = self.ir();
        module.sorted().into_iter().map(|(name, _)| global(py, &module, name)).collect()
    }

    fn get_global_var<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        global(py, &self.ir(), name)
    }

    /// The functions by GlobalVar.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (functions, module) = (PyDict::new(py), self.ir());
        for (name, function) in module.sorted() {
            functions.set_item(global(py, &module, name)?, function_object(py, name, function)?)?;
        }
        Ok(functions)
    }

    /// The functions with their GlobalVars, in order.
    fn functions_items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Ok(self.functions(py)?.items())
    }

    /// The attributes.
    #[getter]
    fn attrs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view::attrs_field(&self.ir().attrs).view(py)
    }

    /// Lists of devices and the like, by name.
    #[getter]
    fn global_infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let info = |info: &GlobalInfo| {
            Field::Node(match info {
                GlobalInfo::VDevice(device) => Node::VDevice(device.clone()),
                GlobalInfo::Dummy => Node::DummyInfo,
            })
        };
        let lists = self.ir();
        let lists = lists.global_infos.iter().map(|(name, list)| (Field::text(name.clone()), Field::list(list, info)));
        Field::Dict(lists.collect()).view(py)
    }

    /// The attribute of this name, or None.
    fn get_attr<'py>(&self, py: Python<'py>, attr_key: &str) -> PyResult<Bound<'py, PyAny>> {
        view::attr_field(self.ir().attrs.get(attr_key)).view(py)
    }

    /// A module with an attribute more, or with another value for it.
    fn with_attr(&self, attr_key: &str, attr_value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let value = attr_of(attr_value)?;
        Ok(self.changed(|module| drop(module.attrs.insert(attr_key.into(), value))))
    }

    /// A module with these attributes more.
    fn with_attrs(&self, attr_map: &Bound<'_, PyAny>) -> PyResult<Self> {
        let attrs = attrs_of(attr_map)?;
        Ok(self.changed(|module| module.attrs.extend(attrs)))
    }

    /// A module without an attribute.
    fn without_attr(&self, attr_key: &str) -> Self {
        self.changed(|module| drop(module.attrs.remove(attr_key)))
    }

    /// Adds or replaces the functions of a dict or of a module.
    fn update(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut added = IRModule::new();
        match other.cast::<Self>() {
            Ok(other) => added = (*other.get().ir()).clone(),
            Err(_) => insert_all(&mut added, other)?,
        }
        self.change(|module| {
            for (name, function) in added.iter() {
                module.insert(name.clone(), function.clone());
            }
        });
        Ok(())
    }

    /// Adds or replaces one function.
    fn update_func(&self, var: &Bound<'_, PyAny>, func: &Bound<'_, PyAny>) -> PyResult<()> {
        self.__setitem__(var, func)
    }

    /// Sets one of the lists of global infos.
    fn update_global_info(&self, name: &str, global_info: &Bound<'_, PyAny>) -> PyResult<()> {
        let infos = global_info.try_iter()?.map(|info| self::global_info(&info?)).collect::<PyResult<_>>()?;
        self.change(|module| drop(module.global_infos.insert(name.into(), infos)));
        Ok(())
    }

    /// A module whose functions have other names, each reference to them too: a dict from old names or GlobalVars to
    /// new ones. A symbol that is the old name becomes the new one.
    fn replace_global_vars(&self, py: Python<'_>, replacements: &Bound<'_, PyDict>) -> PyResult<Self> {
        let names = replacements.iter().map(|(old, new)| Ok((function_name(&old)?, function_name(&new)?)));
        let names = names.collect::<PyResult<Vec<_>>>()?;
        let renamed = replace_global_vars(&self.ir(), names).map_err(|wrong| match wrong {
            RenameError::Missing { .. } => error::unknown_name(py, wrong),
            RenameError::Clash { .. } => error::general(py, wrong),
        });
        Ok(Self::of(renamed?))
    }

    /// A module that is changed by itself.
    fn clone(&self) -> Self {
        Self::of(self.ir())
    }

    /// Modules are pickled as their JSON.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let base = slf.py().import("tilewright.ir.base")?;
        Ok((base.getattr("load_json")?, (base.getattr("save_json")?.call1((slf,))?,)))
    }

    fn __copy__(&self) -> Self {
        Self::of(self.ir())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self::of(self.ir())
    }

    fn __getitem__<'py>(&self, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, name, module) = (name.py(), function_name(name)?, self.ir());
        match module.get(&name) {
            Some(function) => function_object(py, &name, function),
            None => Err(missing(py, &module, &name)),
        }
    }

    fn __setitem__(&self, name: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>) -> PyResult<()> {
        let (name, function) = (function_name(name)?, function_of(function)?.1);
        self.change(|module| drop(module.insert(name, function)));
        Ok(())
    }

    fn __delitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), function_name(name)?);
        match self.change(|module| module.remove(&name)) {
            Some(_) => Ok(()),
            None => Err(missing(py, &self.ir(), &name)),
        }
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.ir().get(&function_name(name)?).is_some())
    }

    fn __len__(&self) -> usize {
        self.ir().len()
    }

    fn __str__(&self) -> PyResult<String> {
        self.script(None)
    }

    /// The script in colour, as notebooks show it.
    fn _repr_html_(&self) -> PyResult<String> {
        Ok(print::highlight_html(&self.script(None)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        self.script(None)
    }
}

/// Adds the functions of a dict from names or GlobalVars.
fn insert_all(module: &mut IRModule, functions: &Bound<'_, PyAny>) -> PyResult<()> {
    for item in functions.call_method0("items")?.try_iter()? {
        let (name, function): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        module.insert(function_name(&name)?, function_of(&function)?.1);
    }
    Ok(())
}

/// A script with terminal colours.
#[pyfunction]
pub(crate) fn highlight(text: &str) -> String {
    print::highlight(text)
}

/// A script as HTML, in the colours of `highlight`.
#[pyfunction]
pub(crate) fn highlight_html(text: &str) -> String {
    print::highlight_html(text)
}
