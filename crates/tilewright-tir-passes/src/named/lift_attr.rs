//! `LiftAttrScope`: attributes of one name (the option `attr_key`) move outwards, and neighbours in a sequence with the
//! same attribute share one.
//!
//! An attribute stays inside of what binds a variable that it mentions.

use std::sync::Arc;

use tilewright_ir::tir::{Expr, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use super::{Options, refuse, seq, with};
use crate::stmt::{Result, map_below, mentions};

pub(super) fn lift_attr_scope(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let Some(key) = options.get("attr_key").and_then(tilewright_ir::Attr::as_str) else {
        return refuse("LiftAttrScope needs the name of an attribute, `attr_key`");
    };
    let lift = Lift { key: key.into() };
    let lifted = lift.stmt(&function.body)?;
    Ok(with(function, lift.within(lifted)))
}

struct Lift {
    key: Arc<str>,
}

/// A statement, and what the attribute around it says.
type Lifted = (Stmt, Option<(Expr, Expr)>);

fn same(a: &Option<(Expr, Expr)>, b: &Option<(Expr, Expr)>) -> bool {
    match (a, b) {
        (Some((node, value)), Some((other, second))) => node.equal(other) && value.equal(second),
        (a, b) => a.is_none() && b.is_none(),
    }
}

impl Lift {
    /// The statement with its attribute written around it.
    fn within(&self, (body, attr): Lifted) -> Stmt {
        match attr {
            Some((node, value)) => StmtKind::Attr { node, key: self.key.clone(), value, body }.into(),
            None => body,
        }
    }

    fn stmt(&self, stmt: &Stmt) -> Result<Lifted> {
        match &stmt.kind {
            StmtKind::Attr { node, key, value, body } if *key == self.key => {
                let inside = with_stack(|| self.stmt(body))?;
                let own = Some((node.clone(), value.clone()));
                let body = if same(&inside.1, &own) { inside.0 } else { self.within(inside) };
                Ok((body, own))
            }
            StmtKind::Seq(stmts) => self.sequence(stmts),
            StmtKind::If { condition, then, otherwise } => {
                let then = with_stack(|| self.stmt(then))?;
                let otherwise = otherwise.as_ref().map(|stmt| with_stack(|| self.stmt(stmt))).transpose()?;
                let alike = otherwise.as_ref().is_none_or(|other| same(&other.1, &then.1));
                let (then, otherwise, attr) = match alike {
                    true => (then.0, otherwise.map(|(stmt, _)| stmt), then.1),
                    false => (self.within(then), otherwise.map(|stmt| self.within(stmt)), None),
                };
                Ok((StmtKind::If { condition: condition.clone(), then, otherwise }.into(), attr))
            }
            StmtKind::For { var, .. } | StmtKind::Let { var, .. } => self.body(stmt, std::slice::from_ref(var)),
            StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => {
                self.body(stmt, std::slice::from_ref(&buffer.data))
            }
            StmtKind::While { .. } | StmtKind::Attr { .. } => self.body(stmt, &[]),
            StmtKind::Block { .. } => Ok((map_below(stmt, &mut |s| Ok(self.within(self.stmt(s)?)))?, None)),
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => Ok((stmt.clone(), None)),
        }
    }

    /// A statement with one body, which binds these variables.
    fn body(&self, stmt: &Stmt, binds: &[Var]) -> Result<Lifted> {
        let mut outside = None;
        let done = map_below(stmt, &mut |body| {
            let (body, attr) = self.stmt(body)?;
            let stays = attr.as_ref().is_some_and(|(node, value)| mentions(node, binds) || mentions(value, binds));
            if stays {
                return Ok(self.within((body, attr)));
            }
            outside = attr;
            Ok(body)
        })?;
        Ok((done, outside))
    }

    fn sequence(&self, stmts: &[Stmt]) -> Result<Lifted> {
        let lifted = stmts.iter().map(|stmt| with_stack(|| self.stmt(stmt))).collect::<Result<Vec<_>>>()?;
        let runs: Vec<Lifted> = lifted
            .chunk_by(|a, b| same(&a.1, &b.1))
            .map(|run| (seq(run.iter().map(|(stmt, _)| stmt.clone())), run.first().and_then(|(_, attr)| attr.clone())))
            .collect();
        Ok(match <[Lifted; 1]>::try_from(runs) {
            Ok([run]) => run,
            Err(runs) => (seq(runs.into_iter().map(|run| self.within(run))), None),
        })
    }
}
