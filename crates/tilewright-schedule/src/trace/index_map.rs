//! Maps of indices as text: `lambda i0, i1: (i0 // 4, i1, i0 % 4)`.

use std::fmt;

use tilewright_ir::IndexMap;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

pub(super) fn write(f: &mut fmt::Formatter<'_>, map: &IndexMap) -> fmt::Result {
    let mut names: Vec<(&Var, String)> = Vec::with_capacity(map.initial().len());
    for var in map.initial() {
        let taken = |name: &str| names.iter().any(|(_, known)| known == name);
        let plain = var.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !var.name.is_empty();
        let name = if plain { var.name.to_string() } else { "i".to_owned() };
        let numbered = (0..).map(|at| format!("{name}_{at}"));
        let unique = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
        names.push((var, unique.unwrap_or(name)));
    }
    f.write_str("lambda")?;
    for (at, (_, name)) in names.iter().enumerate() {
        write!(f, "{} {name}", if at > 0 { "," } else { "" })?;
    }
    f.write_str(": (")?;
    for (at, result) in map.results().iter().enumerate() {
        f.write_str(if at > 0 { ", " } else { "" })?;
        write_expr(f, result, &names, 0)?;
    }
    f.write_str(",)")
}

/// An expression as an operand of an operator that binds as tightly as `least`.
fn write_expr(f: &mut fmt::Formatter<'_>, expr: &Expr, names: &[(&Var, String)], least: u8) -> fmt::Result {
    match &expr.kind {
        ExprKind::Int(value) => write!(f, "{value}"),
        ExprKind::Var(var) => match names.iter().find(|(known, _)| *known == var) {
            Some((_, name)) => f.write_str(name),
            None => f.write_str(&var.name),
        },
        ExprKind::Cast(value) => write_expr(f, value, names, least),
        ExprKind::Binary(op, a, b) => match operator(op.symbol()) {
            Some((_, tight)) => {
                let enclosed = tight < least;
                f.write_str(if enclosed { "(" } else { "" })?;
                with_stack(|| write_expr(f, a, names, tight))?;
                write!(f, " {} ", op.symbol())?;
                with_stack(|| write_expr(f, b, names, tight + 1))?;
                f.write_str(if enclosed { ")" } else { "" })
            }
            None => f.write_str("..."),
        },
        _ => f.write_str("..."),
    }
}

/// The operator of this sign, and how tightly it binds.
fn operator(sign: &str) -> Option<(BinOp, u8)> {
    [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::FloorDiv, BinOp::FloorMod]
        .into_iter()
        .find(|op| op.symbol() == sign)
        .map(|op| (op, if matches!(op, BinOp::Add | BinOp::Sub) { 1 } else { 2 }))
}

/// The map after `lambda`, and what follows it.
pub(crate) fn read(text: &str) -> Result<(IndexMap, &str), String> {
    let (params, body) = text.split_once(':').ok_or("expected `:` after the parameters of `lambda`")?;
    let names: Vec<&str> = params.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let vars: Vec<Var> = names.iter().map(|name| Var::new(*name, DataType::I64)).collect();
    let mut reader = Reader { vars: &vars, rest: body };
    let results = reader.results()?;
    let rest = reader.rest;
    Ok((IndexMap::new(vars.clone(), results)?, rest))
}

struct Reader<'a, 't> {
    vars: &'a [Var],
    rest: &'t str,
}

impl Reader<'_, '_> {
    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// `(a, b)`, `[a, b]`, or one expression.
    fn results(&mut self) -> Result<Vec<Expr>, String> {
        let begin = self.rest;
        let end = if self.take("(") {
            ")"
        } else if self.take("[") {
            "]"
        } else {
            return Ok(vec![self.expr(0)?]);
        };
        let (mut all, mut comma) = (Vec::new(), false);
        while !self.take(end) {
            all.push(self.expr(0)?);
            match self.take(",") {
                true => comma = true,
                false if self.rest.trim_start().starts_with(end) => {}
                false => return Err(format!("expected `,` or `{end}`, found `{}`", self.rest)),
            }
        }
        if all.len() == 1 && !comma && end == ")" {
            // An expression that begins with a bracket.
            self.rest = begin;
            return Ok(vec![self.expr(0)?]);
        }
        Ok(all)
    }

    /// An expression of operators that bind tighter than `least`.
    fn expr(&mut self, least: u8) -> Result<Expr, String> {
        let mut left = with_stack(|| self.operand())?;
        loop {
            self.rest = self.rest.trim_start();
            let found = ["//", "+", "-", "*", "%"].into_iter().find(|sign| self.rest.starts_with(sign));
            let Some((op, tight)) = found.and_then(operator).filter(|(_, tight)| *tight > least) else {
                return Ok(left);
            };
            self.take(op.symbol());
            let right = with_stack(|| self.expr(tight))?;
            left = Expr::binary(op, &left, &right).map_err(|mismatch| mismatch.to_string())?;
        }
    }

    fn operand(&mut self) -> Result<Expr, String> {
        if self.take("(") {
            let inner = self.expr(0)?;
            return if self.take(")") { Ok(inner) } else { Err(format!("expected `)`, found `{}`", self.rest)) };
        }
        if self.take("-") {
            let inner = with_stack(|| self.operand())?;
            return Expr::binary(BinOp::Sub, &Expr::i64(0), &inner).map_err(|mismatch| mismatch.to_string());
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let value = match word.parse() {
            Ok(number) => Expr::i64(number),
            Err(_) => {
                let var = self.vars.iter().find(|var| *var.name == *word);
                Expr::var(var.ok_or_else(|| format!("expected an index, found `{}`", self.rest))?)
            }
        };
        self.rest = rest;
        Ok(value)
    }
}
