//! `BindParams`: parameters of a function become constants.
//!
//! A bound parameter disappears and its uses become the value. Symbolic dimensions that a value decides become numbers
//! throughout the function.

use std::fmt;

use tilewright_expr as scalar;
use tilewright_expr::node::rewrite;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Expr, Function, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Diagnostics, nearest};
use tilewright_tensor::Tensor;

use crate::bind_symbolic_vars::with_sizes;
use crate::sequence::located;

/// A parameter, by name or number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKey {
    Name(String),
    /// Counted from 0.
    Index(usize),
}

impl From<&str> for ParamKey {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}
impl From<usize> for ParamKey {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl fmt::Display for ParamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Index(index) => write!(f, "number {index}"),
        }
    }
}

/// Binds values to parameters of one function.
#[derive(Clone, Debug)]
pub struct BindParams {
    function: String,
    values: Vec<(ParamKey, Tensor)>,
}

impl BindParams {
    /// The values are snapshots by contract: writing to their memory later would change the module.
    pub fn new(function: impl Into<String>, values: impl IntoIterator<Item = (ParamKey, Tensor)>) -> Self {
        Self { function: function.into(), values: values.into_iter().collect() }
    }
}

pub(crate) const NAME: &str = "BindParams";

impl Pass for BindParams {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let function = relax_function(&module, &self.function).map_err(|error| PassError::new(NAME, *error))?;
        let bound = bind(&self.function, function, &self.values);
        let bound = bound.map_err(|diagnostics| PassError { pass: NAME, diagnostics })?;
        module.insert(self.function.as_str(), bound);
        Ok(module)
    }
}

fn relax_function<'m>(module: &'m IRModule, name: &str) -> Result<&'m Function, Box<Diagnostic>> {
    let error = |message: String| Diagnostic::error("TW0701", message);
    match module.get(name) {
        Some(GlobalFunc::Relax(function)) => Ok(function),
        Some(GlobalFunc::Prim(_)) => {
            Err(error(format!("`{name}` is a PrimFunc: only parameters of Relax functions can be bound")).into())
        }
        None => {
            let names = module.iter().filter(|(_, f)| matches!(f, GlobalFunc::Relax(_))).map(|(name, _)| &**name);
            Err(with_hint(error(format!("the module has no function `{name}`")), nearest(name, names)).into())
        }
    }
}

fn with_hint(error: Diagnostic, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

fn bind(name: &str, function: &Function, values: &[(ParamKey, Tensor)]) -> Result<Function, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut bound: Vec<(Var, Tensor)> = Vec::new();
    let mut dims: Vec<(scalar::Var, i64)> = Vec::new();
    for (key, value) in values {
        let outcome = find(name, function, key).and_then(|param| {
            if bound.iter().any(|(known, _)| *known == param) {
                let what = format!("parameter `{}` of `{name}` is bound twice", param.name);
                return Err(Diagnostic::error("TW0703", what).into());
            }
            check(name, &param, value, &mut dims)?;
            bound.push((param, value.clone()));
            Ok(())
        });
        if let Err(error) = outcome {
            diagnostics.push(located(*error, &function.origins));
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(substitute(function, &bound, &dims)) }
}

/// How many parameters an error names: models have hundreds.
const SHOWN: usize = 8;

fn find(name: &str, function: &Function, key: &ParamKey) -> Result<Var, Box<Diagnostic>> {
    let params = &function.params;
    let error = |message: String| Diagnostic::error("TW0702", message);
    let unknown = || error(format!("`{name}` has no parameter {key}"));
    match key {
        ParamKey::Index(index) => match params.get(*index) {
            Some(param) => Ok(param.clone()),
            None => Err(unknown().note(format!("it has {} parameters, counted from 0", params.len())).into()),
        },
        ParamKey::Name(wanted) => {
            let mut named = params.iter().filter(|param| *param.name == **wanted);
            match (named.next(), named.next()) {
                (Some(param), None) => Ok(param.clone()),
                (Some(_), Some(_)) => {
                    let what = format!("`{name}` has more than one parameter called `{wanted}`: bind them by number");
                    Err(error(what).into())
                }
                (None, _) => {
                    let names: Vec<&str> = params.iter().map(|param| &*param.name).collect();
                    let shown = names[..names.len().min(SHOWN)].join(", ");
                    let note = match names.len().saturating_sub(SHOWN) {
                        0 => format!("its parameters are {shown}"),
                        more => format!("its parameters are {shown} and {more} more"),
                    };
                    let error = unknown().note(note);
                    Err(with_hint(error, nearest(wanted, names.iter().copied())).into())
                }
            }
        }
    }
}

/// Checks a value against its parameter, and collects the numbers that it gives to symbolic dimensions.
fn check(name: &str, param: &Var, value: &Tensor, dims: &mut Vec<(scalar::Var, i64)>) -> Result<(), Box<Diagnostic>> {
    let StructInfo::Tensor { dtype, .. } = &param.struct_info else {
        let what = format!("parameter `{}` of `{name}` is no tensor", param.name);
        return Err(Diagnostic::error("TW0703", what).into());
    };
    let wrong = |expected: String, found: String| {
        let what = format!("parameter `{}` of `{name}` expects {expected}, found a value of {found}", param.name);
        Err(Box::new(Diagnostic::error("TW0703", what)))
    };
    if let Some(dtype) = dtype
        && *dtype != value.dtype()
    {
        return wrong(format!("data type {dtype}"), value.dtype().to_string());
    }
    let shape =
        || tilewright_ops::shapes::dims_text(&value.shape().iter().map(|&d| scalar::Expr::i64(d)).collect::<Vec<_>>());
    if let Some(rank) = param.struct_info.rank()
        && rank != value.ndim()
    {
        let expected = match param.struct_info.dims() {
            Some(dims) => format!("shape {}", tilewright_ops::shapes::dims_text(dims)),
            None => format!("{rank} dimensions"),
        };
        return wrong(expected, format!("shape {}", shape()));
    }
    for (dim, &size) in param.struct_info.dims().unwrap_or_default().iter().zip(value.shape()) {
        let expected = match dim.as_var() {
            Some(var) => match dims.iter().find(|(known, _)| known == var) {
                Some((_, decided)) => Some(*decided),
                None => {
                    dims.push((var.clone(), size));
                    None
                }
            },
            None => dim.as_int(),
        };
        if expected.is_some_and(|expected| expected != size) {
            let text = tilewright_ops::shapes::dims_text(param.struct_info.dims().unwrap_or_default());
            let decided: Vec<String> = dims.iter().map(|(var, size)| format!("{} = {size}", var.name)).collect();
            let given = if decided.is_empty() { String::new() } else { format!(" (with {})", decided.join(", ")) };
            return wrong(format!("shape {text}{given}"), format!("shape {}", shape()));
        }
    }
    Ok(())
}

fn substitute(function: &Function, bound: &[(Var, Tensor)], dims: &[(scalar::Var, i64)]) -> Function {
    let constants: Vec<(&Var, Expr)> = bound.iter().map(|(var, value)| (var, Expr::constant(value.clone()))).collect();
    let mut function = function.clone();
    function.params.retain(|param| !constants.iter().any(|(var, _)| *var == param));
    let place = |expr: &Expr| {
        let var = expr.as_var()?;
        constants.iter().find(|(known, _)| *known == var).map(|(_, constant)| constant.clone())
    };
    function.body = rewrite(&function.body, place).unwrap_or(function.body);
    with_sizes(&function, &|var| dims.iter().find(|(known, _)| known == var).map(|(_, size)| *size))
}
