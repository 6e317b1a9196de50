//! A short text of lowered statements, for tests to inspect.

use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind};

pub(crate) fn function(function: &PrimFunc) -> String {
    let mut text = String::new();
    stmt(&function.body, 0, &mut text);
    text
}

fn stmt(s: &Stmt, depth: usize, out: &mut String) {
    let mut line = |text: String| *out += &format!("{}{text}\n", "  ".repeat(depth));
    match &s.kind {
        StmtKind::Store { buffer, indices, value, predicate } => {
            let mask = predicate.as_ref().map_or(String::new(), |p| format!(" where {}", expr(p)));
            line(format!("{}[{}] = {}{mask}", buffer.name, list(indices), expr(value)));
        }
        StmtKind::For { var, min, extent, kind, body, .. } => {
            let kind = if *kind == ForKind::Serial { String::new() } else { format!(" {kind:?}") };
            line(format!("for {} in {}+{}{kind}:", var.name, expr(min), expr(extent)));
            stmt(body, depth + 1, out);
        }
        StmtKind::While { condition, body } => {
            line(format!("while {}:", expr(condition)));
            stmt(body, depth + 1, out);
        }
        StmtKind::If { condition, then, otherwise } => {
            line(format!("if {}:", expr(condition)));
            stmt(then, depth + 1, out);
            if let Some(otherwise) = otherwise {
                *out += &format!("{}else:\n", "  ".repeat(depth));
                stmt(otherwise, depth + 1, out);
            }
        }
        StmtKind::Let { var, value, body } => {
            line(format!("let {} = {}", var.name, expr(value)));
            stmt(body, depth, out);
        }
        StmtKind::Assert { condition, message } => line(format!("assert {}, {message:?}", expr(condition))),
        StmtKind::Seq(stmts) => stmts.iter().for_each(|s| stmt(s, depth, out)),
        StmtKind::Evaluate(e) => line(expr(e)),
        StmtKind::Block { values, block, .. } => {
            let axes: Vec<String> =
                block.iters.iter().zip(values).map(|(i, v)| format!("{}={}", i.var.name, expr(v))).collect();
            line(format!("block {}({})", block.name, axes.join(", ")));
            if let Some(init) = &block.init {
                *out += &format!("{}init:\n", "  ".repeat(depth + 1));
                stmt(init, depth + 2, out);
            }
            stmt(&block.body, depth + 1, out);
        }
        StmtKind::Attr { key, body, .. } => {
            line(format!("attr {key}"));
            stmt(body, depth, out);
        }
        StmtKind::AllocateConst { buffer, body, .. } => {
            line(format!("const {}", buffer.name));
            stmt(body, depth, out);
        }
        StmtKind::Allocate { buffer, body } => {
            line(format!("alloc {}[{}] {}", buffer.name, list(&buffer.shape), buffer.scope.name()));
            stmt(body, depth, out);
        }
    }
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{:?}", value.0),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Var(var) => var.name.to_string(),
        ExprKind::Binary(op, a, b) => match op {
            BinOp::Add => format!("({} + {})", expr(a), expr(b)),
            BinOp::Sub => format!("({} - {})", expr(a), expr(b)),
            BinOp::Mul => format!("{} * {}", expr(a), expr(b)),
            _ => format!("{op:?}({}, {})", expr(a), expr(b)),
        },
        ExprKind::Compare(op, a, b) => {
            let sign = match op {
                CmpOp::Eq => "==",
                CmpOp::Ne => "!=",
                CmpOp::Lt => "<",
                CmpOp::Le => "<=",
                CmpOp::Gt => ">",
                CmpOp::Ge => ">=",
            };
            format!("{} {sign} {}", expr(a), expr(b))
        }
        ExprKind::Not(a) => format!("not {}", expr(a)),
        ExprKind::Select { condition, then, otherwise } => {
            format!("select({}, {}, {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Cast(a) => format!("{}({})", e.dtype, expr(a)),
        ExprKind::Load { buffer, indices, predicate } => {
            let mask = predicate.as_ref().map_or(String::new(), |p| format!(" where {}", expr(p)));
            format!("{}[{}{mask}]", buffer.name, list(indices))
        }
        ExprKind::Ramp { base, stride } => match stride.as_int() {
            Some(1) => format!("{}:{}", expr(base), e.dtype.lanes),
            _ => format!("{}:{}:{}", expr(base), e.dtype.lanes, expr(stride)),
        },
        ExprKind::Broadcast(a) => format!("x{}({})", e.dtype.lanes, expr(a)),
        ExprKind::Shuffle { vectors, lanes } => format!("shuffle({}, {lanes:?})", list(vectors)),
        ExprKind::Let { var, value, body } => format!("let {} = {} in {}", var.name, expr(value), expr(body)),
        ExprKind::Call { intrinsic, args } => format!("{}({})", intrinsic.name(), list(args)),
        ExprKind::Reinterpret(a) => format!("{} bits({})", e.dtype, expr(a)),
        ExprKind::AddressOf { buffer, indices } => format!("&{}[{}]", buffer.name, list(indices)),
        ExprKind::Foreign { callee, args } => format!("{}({})", callee.name(), list(args)),
    }
}
