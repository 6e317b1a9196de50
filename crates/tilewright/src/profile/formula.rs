//! Amounts as text in an executable's metadata: operators before their operands, `%2` is the third scalar argument of
//! the kernel. `* 2 max 0 - %0 1` is `2 * max(0, n - 1)`. Everything is computed in float64.

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, Expr, ExprKind};
use tilewright_ir::analysis::tir::Amount;

/// The text of an amount whose sizes are made of these scalars; none where it speaks of anything else.
pub(super) fn write(amount: &Amount, scalars: &[VarId]) -> Option<String> {
    let fold = |operator: &str, parts: &[Amount]| {
        let texts = parts.iter().map(|part| write(part, scalars)).collect::<Option<Vec<_>>>()?;
        texts.into_iter().reduce(|all, part| format!("{operator} {all} {part}"))
    };
    match amount {
        Amount::Number(number) => Some(number.to_string()),
        Amount::Size { value, .. } => Some(format!("max 0 {}", write_size(value, scalars)?)),
        Amount::Sum(parts) => fold("+", parts),
        Amount::Product(parts) => fold("*", parts),
        Amount::Quotient(parts) => fold("/", &parts[..]),
        Amount::Least(parts) => fold("min", &parts[..]),
        Amount::Most(parts) => fold("max", &parts[..]),
    }
}

fn write_size(size: &Expr, scalars: &[VarId]) -> Option<String> {
    match &size.kind {
        ExprKind::Int(value) => Some(value.to_string()),
        ExprKind::Var(var) => {
            let at = scalars.iter().position(|scalar| *scalar == var.id())?;
            Some(format!("%{at}"))
        }
        ExprKind::Cast(inner) => write_size(inner, scalars),
        ExprKind::Binary(op, a, b) => {
            let operator = match op {
                BinOp::Add => "+",
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                BinOp::FloorDiv | BinOp::Div => "//",
                BinOp::FloorMod | BinOp::Mod => "mod",
                BinOp::Min => "min",
                BinOp::Max => "max",
                _ => return None,
            };
            Some(format!("{operator} {} {}", write_size(a, scalars)?, write_size(b, scalars)?))
        }
        _ => None,
    }
}

/// The value of a text for these scalars; none where it is none of [`write`]'s.
pub(super) fn evaluate(text: &str, scalars: &[f64]) -> Option<f64> {
    let mut words = text.split_whitespace().rev();
    // Backwards, operands come before their operator.
    let mut values: Vec<f64> = Vec::new();
    for word in &mut words {
        let value = if let Some(at) = word.strip_prefix('%') {
            *scalars.get(at.parse::<usize>().ok()?)?
        } else if let Ok(number) = word.parse() {
            number
        } else {
            let (a, b) = (values.pop()?, values.pop()?);
            match word {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                "//" => (a / b).floor(),
                "mod" => a - b * (a / b).floor(),
                "min" => a.min(b),
                "max" => a.max(b),
                _ => return None,
            }
        };
        values.push(value);
    }
    let value = values.pop().filter(|value| value.is_finite())?;
    values.is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_expr::Var;
    use tilewright_tensor::DataType;

    #[test]
    fn texts_have_the_value_of_their_formula() {
        let check = |text: &str, expected| assert_eq!(evaluate(text, &[7.0, 3.0]), expected, "{text}");
        check("* 2 max 0 - %0 1", Some(12.0));
        check("// %0 2", Some(3.0));
        check("mod %0 %1", Some(1.0));
        check("/ min %0 %1 2", Some(1.5));
        check("", None);
        check("+ 1", None);
        check("1 2", None);
        check("%2", None);
        check("/ 1 0", None);
        check("shout 1 2", None);
    }

    #[test]
    fn an_amount_survives_its_text() {
        let n = Var::new("n", DataType::I64);
        let value = Expr::binary(BinOp::FloorDiv, &Expr::var(&n), &Expr::i64(2)).expect("a size");
        let size = Amount::Size { of: "loop `i`".into(), value };
        let amount = Amount::Sum(vec![Amount::Product(vec![Amount::Number(2.5), size.clone(), size]), Amount::ONE]);
        let text = write(&amount, &[n.id()]).expect("a text");
        assert_eq!(evaluate(&text, &[9.0]), Some(41.0));
        assert_eq!(evaluate(&text, &[-9.0]), Some(1.0), "an extent below 0 is no run");
        assert_eq!(write(&amount, &[]), None);
    }
}
