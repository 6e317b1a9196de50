//! Mutators of the graph level: rewriting a function with the builder at hand.
//!
//! A [`Mutator`] gets every expression whose parts are rewritten already, and returns its replacement. Where something
//! changed, what depends on it is brought into normal form and gets its struct info from the rules anew, upwards to the
//! results of functions: a variable whose value has another struct info than before becomes a new variable, everywhere.
//! A function in which nothing changed is given back as it was. What a mutator makes is not given to it again, so that
//! it ends.
//!
//! The scalar and statement level needs no such thing, as types do not change there: see
//! [`crate::analysis::tir::ir_transform`] and [`tilewright_expr::node::rewrite`].
//!
//! ```
//! use tilewright_ir::builder::{BlockBuilder, BuildError, map_exprs, mutate_module};
//! use tilewright_ir::relax::{Callee, Expr, ExprKind};
//! use tilewright_ir::IRModule;
//!
//! /// Renames a packed function.
//! fn renamed(module: &IRModule) -> Result<IRModule, BuildError> {
//!     mutate_module(module, &mut map_exprs(|_: &mut BlockBuilder, expr: &Expr| match &expr.kind {
//!         ExprKind::Call { callee: Callee::Packed(name), args, sinfo_args, .. } if &**name == "old" => {
//!             Ok(Some(Expr::call_packed("new", args.clone(), sinfo_args.clone())))
//!         }
//!         _ => Ok(None),
//!     }))
//! }
//!
//! let mut bb = BlockBuilder::new();
//! bb.begin_function_with("main", vec![], Default::default(), false);
//! let called = bb.emit(&Expr::call_packed("old", vec![], vec![]))?;
//! bb.emit_func_output(&Expr::var(&called))?;
//! let module = renamed(&bb.finalize()?)?;
//! assert!(format!("{module:?}").contains("new") && !format!("{module:?}").contains("old"));
//! # Ok::<(), BuildError>(())
//! ```

use std::sync::Arc;

use super::rebuild::Rebuild;
use super::{BlockBuilder, BuildError};
use crate::relax::{Binding, Expr, Function, Var};
use crate::{GlobalFunc, IRModule};

/// Rewrites expressions of the graph level.
pub trait Mutator {
    /// The replacement of an expression whose parts are rewritten; `None` if it stays. Its dependences are emitted with
    /// the builder. It is not called for variables, only for their values.
    fn rewrite(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Result<Option<Expr>, BuildError>;

    /// Told of every binding that was written.
    fn written(&mut self, _: &Binding) {}
}

/// The mutator that a function on expressions is.
pub fn map_exprs<F>(f: F) -> impl Mutator
where
    F: FnMut(&mut BlockBuilder, &Expr) -> Result<Option<Expr>, BuildError>,
{
    struct Map<F>(F);
    impl<F: FnMut(&mut BlockBuilder, &Expr) -> Result<Option<Expr>, BuildError>> Mutator for Map<F> {
        fn rewrite(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Result<Option<Expr>, BuildError> {
            (self.0)(bb, expr)
        }
    }
    Map(f)
}

/// The function rewritten; `None` where the mutator changed nothing.
pub fn mutate(
    bb: &mut BlockBuilder,
    function: &Function,
    mutator: &mut dyn Mutator,
) -> Result<Option<Function>, BuildError> {
    let mut rebuild = Rebuild::new(mutator);
    let written = rebuild.function(bb, function, function.params.clone())?;
    Ok(rebuild.changed.then_some(written))
}

/// The function with other parameters, one for each that it has: the values computed from them are typed anew and
/// rewritten.
pub fn with_params(
    bb: &mut BlockBuilder,
    function: &Function,
    params: Vec<Var>,
    mutator: &mut dyn Mutator,
) -> Result<Function, BuildError> {
    if params.len() != function.params.len() {
        let (expected, found) = (function.params.len(), params.len());
        return Err(BuildError::state(format!("expected {expected} parameters, found {found}")));
    }
    Rebuild::new(mutator).function(bb, function, params)
}

/// The function in normal form, with struct infos inferred anew: wrong ones are corrected.
pub fn normalize_function(bb: &mut BlockBuilder, function: &Function) -> Result<Function, BuildError> {
    let mut same = super::rebuild::Same;
    let mut rebuild = Rebuild::new(&mut same);
    rebuild.types_all = true;
    rebuild.function(bb, function, function.params.clone())
}

/// The module with every Relax function rewritten. Where the type of a function changed, its callers are typed anew.
pub fn mutate_module(module: &IRModule, mutator: &mut dyn Mutator) -> Result<IRModule, BuildError> {
    let names: Vec<Arc<str>> = module.iter().map(|(name, _)| name.clone()).collect();
    let mut bb = BlockBuilder::with_module(module.clone());
    for name in &names {
        if let Some(function) = bb.module.relax(name).cloned()
            && let Some(changed) = mutate(&mut bb, &function, mutator)?
        {
            bb.module.insert(name.clone(), changed);
        }
    }
    renew_references(&mut bb)?;
    bb.finalize()
}

/// Types functions anew whose references to others say what those were. Each round settles at least one function more,
/// unless functions that call each other never settle, which is an error.
fn renew_references(bb: &mut BlockBuilder) -> Result<(), BuildError> {
    for _ in 0..=bb.module.len() {
        let mut settled = true;
        let names: Vec<Arc<str>> = bb.module.iter().map(|(name, _)| name.clone()).collect();
        for name in names {
            let Some(GlobalFunc::Relax(function)) = bb.module.get(&name).cloned() else { continue };
            let mut same = super::rebuild::Same;
            let mut rebuild = Rebuild::new(&mut same);
            rebuild.renews = true;
            let written = rebuild.function(bb, &function, function.params.clone())?;
            if rebuild.changed {
                settled &= written.signature().equal(&function.signature());
                bb.module.insert(name, written);
            }
        }
        if settled {
            return Ok(());
        }
    }
    Err(BuildError::state("the types of functions that call each other do not settle"))
}
