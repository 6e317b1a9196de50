//! `BindSymbolicVars`: symbolic dimensions become numbers.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr as scalar;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Function;
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Diagnostics, Set, nearest};

use crate::sequence::{located, with_renewed_references};

/// A symbolic dimension by its name in any function, or the variable itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DimKey {
    Name(String),
    Var(scalar::Var),
}

impl From<String> for DimKey {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl DimKey {
    fn is(&self, var: &scalar::Var) -> bool {
        match self {
            Self::Name(name) => **name == *var.name,
            Self::Var(own) => own == var,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Var(var) => &var.name,
        }
    }
}

/// Binds numbers to symbolic dimensions, of one function or of all that have them.
#[derive(Clone, Debug)]
pub struct BindSymbolicVars {
    function: Option<String>,
    values: Vec<(DimKey, i64)>,
}

pub(crate) const NAME: &str = "BindSymbolicVars";

impl BindSymbolicVars {
    /// For one function; a name that it has no dimension of is an error.
    pub fn of_function<K: Into<DimKey>>(
        function: impl Into<String>,
        values: impl IntoIterator<Item = (K, i64)>,
    ) -> Self {
        Self { function: Some(function.into()), ..Self::of_all(values) }
    }

    /// For all functions; a name that no function has a dimension of is an error.
    pub fn of_all<K: Into<DimKey>>(values: impl IntoIterator<Item = (K, i64)>) -> Self {
        Self { function: None, values: values.into_iter().map(|(key, value)| (key.into(), value)).collect() }
    }
}

impl Pass for BindSymbolicVars {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let functions = self.functions(&module).map_err(|error| PassError::new(NAME, *error))?;
        self.check(&functions).map_err(|diagnostics| PassError { pass: NAME, diagnostics })?;
        for (name, function) in functions {
            module.insert(name, self.bound(&function));
        }
        with_renewed_references(NAME, &module)
    }
}

type Named = (Arc<str>, Arc<Function>);

impl BindSymbolicVars {
    fn functions(&self, module: &IRModule) -> Result<Vec<Named>, Box<Diagnostic>> {
        let all = module.iter().filter_map(|(name, function)| match function {
            GlobalFunc::Relax(function) => Some((name.clone(), function.clone())),
            GlobalFunc::Prim(_) => None,
        });
        let Some(wanted) = &self.function else { return Ok(all.collect()) };
        let all: Vec<Named> = all.collect();
        match all.iter().find(|(name, _)| **name == **wanted) {
            Some(found) => Ok(vec![found.clone()]),
            None => {
                let error = Diagnostic::error("TW0704", format!("the module has no Relax function `{wanted}`"));
                let near = nearest(wanted, all.iter().map(|(name, _)| &**name));
                Err(Box::new(match near {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                }))
            }
        }
    }

    fn check(&self, functions: &[Named]) -> Result<(), Diagnostics> {
        let mut vars: Set<scalar::Var> = Set::default();
        for (_, function) in functions {
            walk(&**function, |var: &scalar::Var| {
                vars.insert(var.clone());
            });
        }
        let mut names: Vec<Arc<str>> = vars.iter().map(|var| var.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let mut problems = Diagnostics::default();
        for (i, (key, value)) in self.values.iter().enumerate() {
            let (known, name) = (vars.iter().any(|var| key.is(var)), key.name());
            let message = match () {
                () if !known => format!("no symbolic dimension is called `{name}`"),
                () if *value < 0 => format!("symbolic dimension `{name}` cannot be {value}: sizes are at least 0"),
                () if self.values[..i].iter().any(|(other, _)| other == key) => {
                    format!("symbolic dimension `{name}` is bound twice")
                }
                () => continue,
            };
            let near = nearest(name, names.iter().map(|name| &**name)).filter(|_| !known);
            let origins = functions.first().map(|(_, function)| function.origins.clone()).unwrap_or_default();
            let error = located(Diagnostic::error("TW0705", message), &origins);
            problems.push(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        if problems.has_errors() { Err(problems) } else { Ok(()) }
    }

    fn bound(&self, function: &Function) -> Function {
        with_sizes(function, &|var| self.values.iter().find(|(key, _)| key.is(var)).map(|(_, value)| *value))
    }
}

/// The function with numbers for the symbolic dimensions that have a size; what is computed from numbers alone is one
/// too.
pub(crate) fn with_sizes(function: &Function, size: &dyn Fn(&scalar::Var) -> Option<i64>) -> Function {
    let analyzer = Analyzer::new();
    let number = |expr: &scalar::Expr| match expr.as_var() {
        Some(var) => size(var).map(|value| scalar::Expr::int(value, expr.dtype)),
        None => Some(analyzer.simplify(expr)).filter(|simple| simple.as_int().is_some() && expr.as_int().is_none()),
    };
    rewrite(function, number).unwrap_or_else(|| function.clone())
}
