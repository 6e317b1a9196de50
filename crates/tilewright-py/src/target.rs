//! Targets.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tilewright::Target;
use tilewright::target::{OptionValue, TargetWords};

use crate::error;

/// A machine to compile for. Python's own class adds `with`.
#[pyclass(frozen, subclass, name = "Target", module = "tilewright.target.target")]
#[derive(Debug)]
pub(crate) struct PyTarget {
    pub(crate) target: Target,
    text: String,
}

#[pymethods]
impl PyTarget {
    /// From a target string; the processor around a device is the host's, if there is one.
    #[new]
    #[pyo3(signature = (target, host=None))]
    fn new(target: &Bound<'_, PyAny>, host: Option<&Bound<'_, Self>>) -> PyResult<Self> {
        let text: String = match target.cast::<Self>() {
            Ok(target) => target.get().text.clone(),
            Err(_) => target.extract().map_err(|_| error::wrong_type("expected a target string", target))?,
        };
        let parsed = Target::parse(&text).map_err(|e| error::general(target.py(), e))?;
        let target = match host {
            Some(host) => parsed.with_host(&host.get().target),
            None => parsed,
        };
        Ok(Self { target, text })
    }

    /// The text that the target was made from.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The options in the text: lists where several words are allowed, integers, else texts.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        let words = TargetWords::of(&self.text).map_err(|e| error::general(py, e))?;
        for (name, value) in words.values() {
            match value {
                OptionValue::Words(words) => options.set_item(name, words)?,
                OptionValue::Number(number) => options.set_item(name, number)?,
                OptionValue::Text(text) => options.set_item(name, text)?,
            }
        }
        Ok(options)
    }

    /// The kind's name, `llvm`, `cuda` or `ext_dev`.
    #[getter]
    fn kind_name(&self) -> &'static str {
        self.target.kind_name()
    }

    /// LLVM's name of the processor.
    #[getter]
    fn mcpu(&self) -> &str {
        &self.target.cpu
    }

    /// The preset whose numbers describe the processor.
    #[getter]
    fn machine(&self) -> &str {
        &self.target.name
    }

    /// LLVM's name of machine, system and object format.
    #[getter]
    fn mtriple(&self) -> &str {
        &self.target.triple
    }

    /// The extensions of the instruction set that kernels may use, by LLVM's names.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.target.required_features()
    }

    /// The matrix units that kernels may use, by LLVM's names.
    #[getter]
    fn units(&self) -> Vec<String> {
        self.target.units.iter().cloned().collect()
    }

    /// The options that decide the code.
    #[getter]
    fn attrs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let attrs = PyDict::new(py);
        attrs.set_item("mtriple", self.mtriple())?;
        attrs.set_item("mcpu", self.mcpu())?;
        attrs.set_item("mattr", self.features().iter().map(|name| format!("+{name}")).collect::<Vec<_>>())?;
        attrs.set_item("num-cores", self.target.limits.cores)?;
        attrs.set_item("vector-width", self.target.vector_bits)?;
        Ok(attrs)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().target == self.target)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.target.hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Target({:?})", self.text)
    }
}
