//! `store_returned` and `structure_returns`: functions that return a value, or early, as kernels, which do neither.
//!
//! [`store_returned`] gives a function that returns a scalar a buffer of one element for it, its last parameter but for
//! a flag where the end can be reached without a return. Each return then stores its value and ends with `T.ret(0)`.
//!
//! [`structure_returns`] makes conditions of these: what follows one runs under a condition on a flag that the return
//! sets, loops around it run their further iterations without effect, and at the end of the kernel it is nothing. A
//! return within a parallel loop is refused, as other iterations would not see it.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Builtin, CmpOp, Expr, ForKind, Param, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::{Origins, with_stack};
use tilewright_tensor::DataType;

use crate::stmt::{Result, error_with_help, map_below, typed, with_body};

/// What a function returns, as its kernel stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Returned {
    /// The type of the value: the element type of the parameter after the function's own, of shape `(1,)`.
    pub dtype: DataType,
    /// Whether the end can be reached without a return. A last parameter, a bool of shape `()`, says if there was one.
    pub maybe: bool,
}

/// The function with what it returns stored into parameters of its own; `None` of a function that returns nothing.
///
/// # Errors
/// `TW0561`: the values are of several types, or of one whose values are no scalars of a program.
pub fn store_returned(function: &PrimFunc) -> Result<Option<(PrimFunc, Returned)>> {
    let Some(dtype) = function.returned() else { return Ok(None) };
    let refused = |message: String, help| error_with_help("TW0561", &function.origins, &message, help);
    let mut other = None;
    walk(&function.body, |expr: &Expr| {
        if let Some([value]) = expr.builtin_args(Builtin::RET)
            && value.dtype != dtype
        {
            other = Some(value.dtype);
        }
    });
    if let Some(other) = other {
        let message = format!("`T.ret` gives values of two types, {dtype} and {other}");
        return Err(refused(message, "cast them to one type"));
    }
    if !DataType::TENSOR_ELEMENTS.contains(&dtype) {
        return Err(refused(format!("`T.ret` of a value of type {dtype}"), "return a number or a bool"));
    }
    let result = Buffer::new("result", vec![Expr::i32(1)], dtype);
    let maybe = !always_returns(&function.body);
    let flag = maybe.then(|| Buffer::new("has_result", Vec::new(), DataType::BOOL));
    let stores = Stores { result, flag };
    let mut body = stores.stmt(&function.body)?;
    if let Some(flag) = &stores.flag {
        let unset = typed(Stmt::store(flag, Vec::new(), &Expr::bool(false)))?;
        body = in_root(&body, &mut |body| Ok(Stmt::seq([unset.clone(), body.clone()])))?;
    }
    let mut params = function.params.clone();
    params.extend([Some(&stores.result), stores.flag.as_ref()].into_iter().flatten().map(Param::buffer));
    let stored = PrimFunc { params, body, ..function.clone() };
    Ok(Some((stored, Returned { dtype, maybe })))
}

/// Whether every run of the statement meets a return.
fn always_returns(stmt: &Stmt) -> bool {
    with_stack(|| match &stmt.kind {
        StmtKind::Evaluate(value) => value.builtin_args(Builtin::RET).is_some(),
        StmtKind::Seq(stmts) => stmts.iter().any(always_returns),
        StmtKind::If { then, otherwise: Some(otherwise), .. } => always_returns(then) && always_returns(otherwise),
        StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => always_returns(body),
        StmtKind::For { extent, body, .. } => extent.as_int().is_some_and(|n| n > 0) && always_returns(body),
        StmtKind::Block { predicate, block, .. } => predicate.as_int() == Some(1) && always_returns(&block.body),
        StmtKind::If { otherwise: None, .. }
        | StmtKind::While { .. }
        | StmtKind::Store { .. }
        | StmtKind::Assert { .. } => false,
    })
}

/// The buffers that returns are stored to.
struct Stores {
    result: Buffer,
    flag: Option<Buffer>,
}

impl Stores {
    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::Evaluate(value) = &stmt.kind else { return map_below(stmt, &mut |s| self.stmt(s)) };
        let Some([value]) = value.builtin_args(Builtin::RET) else { return Ok(stmt.clone()) };
        let mut done = vec![typed(Stmt::store(&self.result, vec![Expr::i32(0)], value))?];
        if let Some(flag) = &self.flag {
            done.push(typed(Stmt::store(flag, Vec::new(), &Expr::bool(true)))?);
        }
        done.push(StmtKind::Evaluate(Expr::builtin(Builtin::RET, vec![Expr::i32(0)])).into());
        Ok(Stmt::seq(done))
    }
}

/// The statement with `f` applied to what the root block does, or to all of it where there is none.
fn in_root(body: &Stmt, f: &mut dyn FnMut(&Stmt) -> Result<Stmt>) -> Result<Stmt> {
    match &body.kind {
        // The root block stays around everything.
        StmtKind::Block { block, .. } if block.iters.is_empty() => map_below(body, f),
        _ => f(body),
    }
}

pub fn structure_returns(function: &PrimFunc) -> Result<PrimFunc> {
    if !returns(&function.body) {
        return Ok(function.clone());
    }
    let flag = Buffer::new("returned", vec![Expr::i32(1)], DataType::I32).derive(|node| node.scope = Scope::Local);
    let mut cx = Structure { flag, used: false, origins: &function.origins };
    let body = in_root(&function.body, &mut |body| {
        let body = cx.stmt(body, true)?;
        if !cx.used {
            return Ok(body);
        }
        let body = Stmt::seq([cx.set(0)?, body]);
        Ok(StmtKind::Allocate { buffer: cx.flag.clone(), body }.into())
    })?;
    Ok(with_body(function, body))
}

fn returns(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |expr: &Expr| found |= expr.builtin_args(Builtin::RET).is_some());
    found
}

struct Structure<'a> {
    flag: Buffer,
    used: bool,
    origins: &'a Origins,
}

impl Structure<'_> {
    fn set(&self, value: i32) -> Result<Stmt> {
        typed(Stmt::store(&self.flag, vec![Expr::i32(0)], &Expr::i32(value)))
    }

    fn runs(&self) -> Result<Expr> {
        let flag = typed(Expr::load(&self.flag, vec![Expr::i32(0)]))?;
        typed(Expr::compare(CmpOp::Eq, &flag, &Expr::i32(0)))
    }

    fn unless_returned(&self, then: Stmt) -> Result<Stmt> {
        Ok(StmtKind::If { condition: self.runs()?, then, otherwise: None }.into())
    }

    /// The statement; with `last`, nothing runs after it.
    fn stmt(&mut self, stmt: &Stmt, last: bool) -> Result<Stmt> {
        if !returns(stmt) {
            return Ok(stmt.clone());
        }
        match &stmt.kind {
            StmtKind::Evaluate(value) => self.returned(value, last),
            StmtKind::Seq(stmts) => {
                let first = stmts.iter().position(returns).unwrap_or(0);
                let (before, rest) = stmts.split_at(first);
                let Some((own, after)) = rest.split_first() else { return Ok(stmt.clone()) };
                let own = with_stack(|| self.stmt(own, last && after.is_empty()))?;
                let mut done = before.to_vec();
                done.push(own);
                if !after.is_empty() {
                    let after = with_stack(|| self.stmt(&Stmt::seq(after.to_vec()), last))?;
                    done.push(self.unless_returned(after)?);
                }
                Ok(Stmt::seq(done))
            }
            StmtKind::For { var, kind, .. } => {
                if !matches!(kind, ForKind::Serial | ForKind::Unrolled) {
                    let message = format!("`T.ret` in the loop over `{}`, whose iterations run together", var.name);
                    return Err(self.refused(&message, "return after the loop, or make it a serial one"));
                }
                map_below(stmt, &mut |body| {
                    let body = self.stmt(body, false)?;
                    self.unless_returned(body)
                })
            }
            StmtKind::While { condition, body } => {
                let body = with_stack(|| self.stmt(body, false))?;
                let condition = typed(Expr::binary(BinOp::And, &self.runs()?, condition))?;
                Ok(StmtKind::While { condition, body }.into())
            }
            _ => map_below(stmt, &mut |body| self.stmt(body, last)),
        }
    }

    fn returned(&mut self, value: &Expr, last: bool) -> Result<Stmt> {
        let value = value.builtin_args(Builtin::RET).map(|args| args.first().map(Expr::as_int));
        if !matches!(value, Some(None | Some(Some(0)))) {
            return Err(
                self.refused("`T.ret` of a value inside of an expression", "write it as a statement of its own")
            );
        }
        if last {
            return Ok(StmtKind::Evaluate(Expr::i32(0)).into());
        }
        self.used = true;
        self.set(1)
    }

    fn refused(&self, message: &str, help: &str) -> tilewright_support::Diagnostics {
        error_with_help("TW0561", self.origins, message, help)
    }
}
