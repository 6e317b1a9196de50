//! `FuseOpsByPattern` as Python makes it: of patterns with names, and checks that are functions.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tilewright::relax_passes::{Check, FuseOpsByPattern, FusionPattern, PatternMatch};

use crate::error;
use crate::kept::Kept;
use crate::pass::PyPass;
use crate::view::{Field, pattern_of};

/// A pattern: its name, what it is, the patterns inside it by name, a function of what is told of a match.
type Parts<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyDict>, Option<Py<PyAny>>);

/// Fuses what looks like one of the patterns.
#[pyfunction]
pub(crate) fn fuse_ops_by_pattern(
    patterns: Vec<Parts<'_>>,
    bind_constants: bool,
    annotate_codegen: bool,
    entry_functions: Vec<String>,
) -> PyResult<PyPass> {
    let patterns = patterns.into_iter().map(|(name, pattern, annotations, check)| {
        let annotations = annotations.iter().map(|(name, inside)| Ok((name.extract()?, pattern_of(&inside)?)));
        Ok(FusionPattern {
            name,
            pattern: pattern_of(&pattern)?,
            annotations: annotations.collect::<PyResult<_>>()?,
            check: check.map(check_of),
        })
    });
    let patterns = patterns.collect::<PyResult<_>>()?;
    let lift_constants = !bind_constants;
    Ok(PyPass::native(Arc::new(FuseOpsByPattern { patterns, lift_constants, annotate_codegen, entry_functions })))
}

fn check_of(function: Py<PyAny>) -> Check {
    let function = Kept::new(function);
    Arc::new(move |found| {
        Python::attach(|py| {
            let told = told(found).into_iter().map(|part| part.view(py)).collect::<PyResult<Vec<_>>>();
            let answer = told.and_then(|told| function.bind(py).call1(PyTuple::new(py, told)?)?.is_truthy());
            answer.map_err(|raised| error::raised_in_callback(py, raised))
        })
    })
}

/// The match in the order of the fields of `PatternCheckContext`.
fn told(found: &PatternMatch) -> [Field; 4] {
    let annotated = found.annotated_expr.iter().map(|(name, expr)| (Field::text(name.as_str()), Field::relax(expr)));
    let bindings = found.matched_bindings.iter().map(|(var, value)| (Field::relax_var(var), Field::relax(value)));
    let usages =
        found.var_usages.iter().map(|(var, users)| (Field::relax_var(var), Field::list(users, Field::relax_var)));
    [
        Field::relax(&found.matched_expr),
        Field::Dict(annotated.collect()),
        Field::Dict(bindings.collect()),
        Field::Dict(usages.collect()),
    ]
}
