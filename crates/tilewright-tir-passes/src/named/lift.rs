//! `LiftThreadBinding`: in a kernel, the loops that are bound to the same thread become one, in the innermost loop that
//! is around all of them.

use std::sync::Arc;

use tilewright_expr::node::AnyHandle;
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, OrderedMap, with_stack};

use super::{Options, below, refuse, with};
use crate::stmt::{Result, typed};
use crate::substitute::Substitute;

pub(super) fn lift_thread_binding(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with(function, kernels(&function.body)?))
}

/// The kernels of the statement: each begins at a bound loop that is in no other one.
fn kernels(stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => lifted(stmt),
        _ => below(stmt, &mut kernels),
    }
}

/// The loops of one tag.
struct Bound {
    var: Var,
    extent: Expr,
    min: Expr,
    annotations: Attrs,
    /// The loops around all of them, by address, from outside inwards.
    around: Vec<usize>,
}

fn lifted(kernel: &Stmt) -> Result<Stmt> {
    let mut found: OrderedMap<Arc<str>, Bound> = OrderedMap::default();
    collect(kernel, &mut Vec::new(), &mut found)?;
    let mut places: Map<usize, Vec<Arc<str>>> = Map::default();
    for (tag, bound) in &found {
        let place = bound.around.last().copied().unwrap_or_default();
        places.entry(place).or_default().push(tag.clone());
    }
    let cx = Lift { found, places };
    let body = cx.stmt(kernel)?;
    Ok(cx.bind(0, body))
}

fn collect(stmt: &Stmt, around: &mut Vec<usize>, found: &mut OrderedMap<Arc<str>, Bound>) -> Result<()> {
    if let StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(tag), annotations, .. } = &stmt.kind {
        match found.get_mut(tag) {
            None => {
                let own = Var::new(tag.replace('.', "_"), var.dtype);
                let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
                found.insert(tag.clone(), Bound { var: own, extent, min, annotations, around: around.clone() });
            }
            Some(known) => {
                if !known.extent.equal(extent) || !known.min.equal(min) {
                    return refuse(format!("the loops that are bound to `{tag}` have different extents"));
                }
                let same = known.around.iter().zip(around.iter()).take_while(|(a, b)| a == b).count();
                known.around.truncate(same);
            }
        }
    }
    let is_loop = matches!(stmt.kind, StmtKind::For { .. });
    if is_loop {
        around.push(stmt.address());
    }
    let mut result = Ok(());
    below(stmt, &mut |s| {
        if result.is_ok() {
            result = with_stack(|| collect(s, around, found));
        }
        Ok(s.clone())
    })?;
    if is_loop {
        around.pop();
    }
    result
}

struct Lift {
    found: OrderedMap<Arc<str>, Bound>,
    places: Map<usize, Vec<Arc<str>>>,
}

impl Lift {
    /// The body in the loops that are bound at this place.
    fn bind(&self, place: usize, body: Stmt) -> Stmt {
        let tags = self.places.get(&place).into_iter().flatten();
        tags.rev().filter_map(|tag| Some((tag, self.found.get(tag)?))).fold(body, |body, (tag, bound)| {
            let Bound { var, min, extent, annotations, .. } = bound;
            let kind = ForKind::ThreadBinding(tag.clone());
            let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
            StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into()
        })
    }

    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else {
            return below(stmt, &mut |s| self.stmt(s));
        };
        let inside = with_stack(|| self.stmt(body))?;
        let inside = self.bind(stmt.address(), inside);
        let ForKind::ThreadBinding(tag) = kind else {
            let (min, extent) = (min.clone(), extent.clone());
            let (kind, annotations) = (kind.clone(), annotations.clone());
            return Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body: inside }.into());
        };
        let Some(bound) = self.found.get(tag) else { return Ok(inside) };
        let value = typed(Expr::var(&bound.var).cast(var.dtype))?;
        Ok(Substitute::value(var, value).apply(&inside))
    }
}
