//! `InjectVirtualThread`: virtual threads run together, statement by statement: each statement that differs between
//! them is done for all of them before the next one.
//!
//! A virtual thread is a loop that is bound to `vthread`, or an attribute `virtual_thread`. What a statement does for
//! few threads is written out, else it is in a loop. Temporaries that the threads fill differently have a part for each
//! of them.

use tilewright_arith::worked_out;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};

use super::{Options, below, refuse, seq, with};
use crate::stmt::{Result, mentions, typed};
use crate::substitute::{Owners, Substitute, moved_by};

pub(super) fn inject_virtual_thread(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with(function, injected(&Owners::of(function), &function.body)?))
}

/// Threads up to which a statement without loops is written out for each.
const WRITTEN_OUT: i64 = 16;

fn injected(owners: &Owners, stmt: &Stmt) -> Result<Stmt> {
    let (var, min, extent, body, shares) = match &stmt.kind {
        StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(tag), body, .. }
            if tag.starts_with("vthread") =>
        {
            (var, min.clone(), extent, body, &**tag == "vthread")
        }
        StmtKind::Attr { node, key, value, body } if &**key == "virtual_thread" => match node.as_var() {
            Some(var) => (var, Expr::int(0, var.dtype), value, body, &*var.name == "vthread"),
            None => return below(stmt, &mut |s| injected(owners, s)),
        },
        _ => return below(stmt, &mut |s| injected(owners, s)),
    };
    let Some(count) = extent.as_int().filter(|count| (1..=1 << 16).contains(count)) else {
        return refuse(format!("the number of virtual threads `{}` is no constant from 1 to 65536", var.name));
    };
    let body = with_stack(|| injected(owners, body))?;
    // The threads count from 0.
    let thread = Var::new(var.name.clone(), var.dtype);
    let number = if min.as_int() == Some(0) { Expr::var(&thread) } else { &Expr::var(&thread) + &min };
    let body = Substitute::value(var, number).apply(&body);
    let mut cx = Inject { owners, touched: Vec::new(), thread, count, shares };
    let (body, _) = cx.expanded(&body)?;
    cx.touched = vec![cx.thread.clone()];
    Ok(cx.stmt(&body)?.0)
}

struct Inject<'a> {
    owners: &'a Owners,
    thread: Var,
    count: i64,
    /// Whether temporaries that the threads fill alike stay one.
    shares: bool,
    /// Variables that differ between the threads.
    touched: Vec<Var>,
}

/// The variables and the memory that follow from a variable.
fn touched_by(stmt: &Stmt, thread: &Var) -> (Set<VarId>, Set<VarId>) {
    let (mut vars, mut memory): (Set<VarId>, Set<VarId>) = (Set::from_iter([thread.id()]), Set::default());
    loop {
        let before = vars.len() + memory.len();
        walk(stmt, |stmt: &Stmt| {
            let mut found = false;
            for expr in stmt.own_exprs() {
                walk(&expr, |var: &Var| found |= vars.contains(&var.id()));
                walk(&expr, |buffer: &Buffer| found |= memory.contains(&buffer.data.id()));
            }
            if !found {
                return;
            }
            match &stmt.kind {
                StmtKind::Store { buffer, .. } => {
                    memory.insert(buffer.data.id());
                }
                StmtKind::Let { var, .. } => {
                    vars.insert(var.id());
                }
                StmtKind::Evaluate(value) => walk(value, |buffer: &Buffer| {
                    memory.insert(buffer.data.id());
                }),
                // What is stored under a condition that differs differs, and so is what as many iterations store.
                StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::For { .. } => {
                    if let StmtKind::For { var, .. } = &stmt.kind {
                        vars.insert(var.id());
                    }
                    walk(stmt, |inside: &Stmt| {
                        if let StmtKind::Store { buffer, .. } = &inside.kind {
                            memory.insert(buffer.data.id());
                        }
                    });
                }
                _ => {}
            }
        });
        if vars.len() + memory.len() == before {
            return (vars, memory);
        }
    }
}

impl Inject<'_> {
    /// The statement in which temporaries have a part for each thread, and whether there is any.
    fn expanded(&self, stmt: &Stmt) -> Result<(Stmt, bool)> {
        let (_, memory) = touched_by(stmt, &self.thread);
        let mut found = false;
        let done = self.with_parts(&memory, stmt, &mut found)?;
        Ok((done, found))
    }

    fn with_parts(&self, memory: &Set<VarId>, stmt: &Stmt, found: &mut bool) -> Result<Stmt> {
        let StmtKind::Allocate { buffer, body } = &stmt.kind else {
            return below(stmt, &mut |s| self.with_parts(memory, s, found));
        };
        let body = with_stack(|| self.with_parts(memory, body, found))?;
        if self.shares && !memory.contains(&buffer.data.id()) {
            return Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into());
        }
        let (Some(first), true) = (buffer.shape.first(), buffer.strides.is_empty()) else {
            return refuse(format!("`{}` is used by virtual threads and has no row-major dimensions", buffer.name));
        };
        *found = true;
        let all = typed(worked_out(BinOp::Mul, first, &Expr::int(self.count, first.dtype)))?;
        let many = buffer.derive(|node| {
            if let Some(extent) = node.shape.first_mut() {
                *extent = all;
            }
        });
        let start = typed(Expr::binary(BinOp::Mul, &typed(Expr::var(&self.thread).cast(first.dtype))?, first))?;
        let body = moved_by(&body, buffer, &many, &start)?;
        Ok(StmtKind::Allocate { buffer: many, body }.into())
    }

    fn differs(&self, exprs: &[Expr]) -> bool {
        exprs.iter().any(|expr| mentions(expr, &self.touched))
    }

    /// The statement for all threads; how many loops inside of each other it has.
    fn stmt(&mut self, stmt: &Stmt) -> Result<(Stmt, usize)> {
        let own = match &stmt.kind {
            StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } | StmtKind::Seq(_) => false,
            _ => self.differs(&stmt.own_exprs()),
        };
        if own {
            return Ok(self.for_all(stmt));
        }
        match &stmt.kind {
            StmtKind::Seq(stmts) => {
                let (mut done, mut depth) = (Vec::new(), 0);
                for stmt in stmts {
                    let (stmt, own) = with_stack(|| self.stmt(stmt))?;
                    depth = depth.max(own);
                    done.push(stmt);
                }
                Ok((seq(done), depth))
            }
            _ => {
                let mut depth = 0;
                let done = below(stmt, &mut |s| {
                    let (stmt, own) = self.stmt(s)?;
                    depth = depth.max(own);
                    Ok(stmt)
                })?;
                let loops = usize::from(matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. }));
                Ok((done, depth + loops))
            }
        }
    }

    fn for_all(&self, stmt: &Stmt) -> (Stmt, usize) {
        let mut loops = 0;
        walk(stmt, |inside: &Stmt| loops += usize::from(matches!(inside.kind, StmtKind::For { .. })));
        let dtype = self.thread.dtype;
        if loops == 0 && self.count < WRITTEN_OUT {
            let each = |number| self.owners.copy_with(stmt, [(self.thread.clone(), Expr::int(number, dtype))]);
            return (seq((0..self.count).map(each)), 0);
        }
        let var = Var::new(format!("{}_s", self.thread.name), dtype);
        let body = Substitute::value(&self.thread, Expr::var(&var)).apply(stmt);
        let (min, extent) = (Expr::int(0, dtype), Expr::int(self.count, dtype));
        (Stmt::for_loop(&var, min, extent, ForKind::Serial, body), loops + 1)
    }
}
