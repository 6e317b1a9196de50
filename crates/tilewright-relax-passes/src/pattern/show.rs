//! Patterns as text: how they are made, `is_op("relax.add")(wildcard(), is_const())`.

use std::fmt;

use super::{ArgPatterns, CalleePattern, Pattern, PatternKind};

/// Characters of a text, about: patterns share parts, so that a short one may be long written out.
const MAX_TEXT_BYTES: usize = 2000;

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        show(self, &mut text);
        f.write_str(&text)
    }
}

fn show(pattern: &Pattern, out: &mut String) {
    if out.len() > MAX_TEXT_BYTES {
        if !out.ends_with('…') {
            out.push('…');
        }
        return;
    }
    match pattern.kind() {
        PatternKind::Wildcard => out.push_str("wildcard()"),
        PatternKind::Op(op) => out.push_str(&format!("is_op(\"relax.{}\")", op.0.name)),
        PatternKind::Constant => out.push_str("is_const()"),
        PatternKind::Var(name) => named("is_var", name.as_deref(), out),
        PatternKind::DataflowVar(name) => named("is_dfv", name.as_deref(), out),
        PatternKind::GlobalVar(name) => named("is_gv", name.as_deref(), out),
        PatternKind::ExternFunc(name) => named("ExternFuncPattern", name.as_deref(), out),
        PatternKind::Expr(_) | PatternKind::Prim(_) => out.push_str("is_expr(…)"),
        PatternKind::Tuple(fields) => list("is_tuple([", fields, "])", out),
        PatternKind::UnorderedTuple(fields) => list("is_tuple([", fields, "], unordered=True)", out),
        PatternKind::TupleGet { tuple, index } => {
            let index = index.map_or_else(String::new, |index| format!(", {index}"));
            around("is_tuple_get_item(", tuple, &(index + ")"), out);
        }
        PatternKind::Call { callee, args } => call(callee, args, out),
        PatternKind::Shape(dims) => out.push_str(&format!("is_shape({})", shape(dims))),
        PatternKind::Or(a, b) => pair(a, " | ", b, out),
        PatternKind::And(a, b) => pair(a, " & ", b, out),
        PatternKind::Not(inner) => around("~", inner, "", out),
        PatternKind::HasDType(inner, dtype) => around("", inner, &format!(".has_dtype(\"{dtype}\")"), out),
        PatternKind::HasShape(inner, dims) => around("", inner, &format!(".has_shape({})", shape(dims)), out),
        PatternKind::HasAttrs(inner, attrs) => {
            let names: Vec<String> = attrs.keys().map(|name| format!("\"{name}\": …")).collect();
            around("", inner, &format!(".has_attr({{{}}})", names.join(", ")), out);
        }
        PatternKind::HasStructInfo(inner, _) => around("", inner, ".has_struct_info(…)", out),
        PatternKind::SameShape(inner, other) => {
            around("", inner, ".same_shape_as(", out);
            around("", other, ")", out);
        }
    }
}

fn named(function: &str, name: Option<&str>, out: &mut String) {
    out.push_str(&name.map_or_else(|| format!("{function}()"), |name| format!("{function}(\"{name}\")")));
}

fn around(before: &str, inner: &Pattern, after: &str, out: &mut String) {
    out.push_str(before);
    tilewright_support::with_stack(|| show(inner, out));
    out.push_str(after);
}

fn pair(a: &Pattern, between: &str, b: &Pattern, out: &mut String) {
    around("(", a, between, out);
    around("", b, ")", out);
}

fn list(before: &str, items: &[Pattern], after: &str, out: &mut String) {
    out.push_str(before);
    for (at, item) in items.iter().enumerate() {
        around(if at == 0 { "" } else { ", " }, item, "", out);
    }
    out.push_str(after);
}

fn call(callee: &CalleePattern, args: &ArgPatterns, out: &mut String) {
    let cross = |function: &str, name: &Option<std::sync::Arc<str>>| match name {
        Some(name) => format!("{function}(\"{name}\", ["),
        None => format!("{function}(args=["),
    };
    let (before, after) = match callee {
        CalleePattern::Value(callee) => {
            around("", callee, "", out);
            ("(".to_owned(), ")")
        }
        CalleePattern::Tir(name) => (cross("is_call_tir", name), "])"),
        CalleePattern::DpsPacked(name) => (cross("is_call_dps_packed", name), "])"),
        CalleePattern::Packed(name) => (cross("is_call_packed", name), "])"),
    };
    match args {
        ArgPatterns::Any => out.push_str(&format!("{before}…{after}")),
        ArgPatterns::Exactly(args) => list(&before, args, after, out),
        ArgPatterns::First(args) => {
            list(&before, args, "", out);
            out.push_str(if args.is_empty() { "…" } else { ", …" });
            out.push_str(after);
        }
    }
}

fn shape(dims: &[tilewright_expr::Expr]) -> String {
    let dims = dims.iter().map(|dim| match (dim.as_int(), dim.as_var()) {
        (Some(value), _) => value.to_string(),
        (None, Some(var)) => var.name.to_string(),
        (None, None) => "…".to_owned(),
    });
    format!("[{}]", dims.collect::<Vec<_>>().join(", "))
}
