//! Graph functions with variables of their own, as [`tir::renew_defs`](super::tir::renew_defs) makes loop functions.

use tilewright_expr as scalar;
use tilewright_expr::node::{IrNode, VarId, rewrite, walk};
use tilewright_support::{Map, Set};

use super::bound_vars;
use crate::relax::{Function, Var};

/// The function with variables and symbolic dimensions of its own.
pub fn renewed(function: &Function) -> Function {
    renewed_with(function, &[])
}

/// As [`renewed`], with these dataflow variables as such that are visible outside of their blocks. Parameters become so
/// too.
pub fn renewed_with(function: &Function, outputs: &[Var]) -> Function {
    let mut vars: Map<VarId, Var> = Map::default();
    for var in bound_vars(function) {
        let (name, info) = (var.name.clone(), var.struct_info.clone());
        let shown = outputs.contains(&var) || function.params.contains(&var) || !var.dataflow;
        vars.insert(var.id(), if shown { Var::new(name, info) } else { Var::dataflow(name, info) });
    }
    let function = rewrite(function, |var: &Var| vars.get(&var.id()).cloned()).unwrap_or_else(|| function.clone());
    let fresh: Map<VarId, scalar::Var> = dims_in(&function).into_iter().map(|dim| (dim.id(), dim.renewed())).collect();
    rewrite(&function, |dim: &scalar::Var| fresh.get(&dim.id()).cloned()).unwrap_or(function)
}

/// The symbolic dimensions in a node, each once.
pub fn dims_in<N: IrNode>(node: &N) -> Vec<scalar::Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    walk(node, |dim: &scalar::Var| {
        if seen.insert(dim.id()) {
            found.push(dim.clone());
        }
    });
    found
}
