//! Linear indices: the indices of an element from its row-major linear index, and back.

use std::cmp::Reverse;

use tilewright_expr::{BinOp, Buffer, Expr, TypeMismatch, promote};
use tilewright_tensor::DataType;

use crate::worked_out;

/// The indices of an element of a tensor of this shape from its row-major linear index; past the last element the first
/// index continues. Linear index 0 has the indices 0 whatever the extents are.
pub fn unravelled(linear: &Expr, shape: &[Expr]) -> Result<Vec<Expr>, TypeMismatch> {
    let mut rest = linear.clone();
    let mut indices = Vec::with_capacity(shape.len());
    for extent in shape.iter().skip(1).rev() {
        let (outer, index) = divided(&rest, extent)?;
        indices.push(index);
        rest = outer;
    }
    indices.extend((!shape.is_empty()).then_some(rest));
    indices.reverse();
    Ok(indices)
}

/// The indices of the element at this offset from a buffer's first one, perhaps beyond its last one; `None` where no
/// indices are known to lead there.
pub fn indices_at(buffer: &Buffer, offset: &Expr) -> Result<Option<Vec<Expr>>, TypeMismatch> {
    if buffer.strides.is_empty() {
        let is_known = buffer.rank() > 0 || offset.as_int() == Some(0);
        return is_known.then(|| unravelled(offset, &buffer.shape)).transpose();
    }
    let strides: Vec<(usize, &Expr)> = buffer.strides.iter().enumerate().collect();
    let mut outermost_first = strides.clone();
    if strides.iter().all(|(_, stride)| stride.as_int().is_some()) {
        outermost_first.sort_by_key(|(_, stride)| Reverse(stride.as_int()));
    }
    let nothing = Expr::int(0, offset.dtype);
    let (mut indices, mut rest) = (vec![nothing.clone(); strides.len()], offset.clone());
    for (dim, stride) in outermost_first {
        let (index, inside) = match stride.as_int() {
            Some(1) => (rest, nothing.clone()),
            // Every index leads to the same element, or further to the front.
            Some(stride) if stride < 1 => continue,
            _ => divided(&rest, stride)?,
        };
        if let Some(known) = indices.get_mut(dim) {
            *known = index;
        }
        rest = inside;
    }
    Ok((rest.as_int() == Some(0)).then_some(indices))
}

/// The quotient, rounded down, and the remainder. Of 0 both are 0: dividing a linear index implies that there is an
/// element.
fn divided(a: &Expr, b: &Expr) -> Result<(Expr, Expr), TypeMismatch> {
    if a.as_int() == Some(0) {
        return Ok((a.clone(), a.clone()));
    }
    let dtype = promote(a.dtype, b.dtype).unwrap_or(DataType::I64);
    let (a, b) = (a.cast(dtype)?, b.cast(dtype)?);
    Ok((worked_out(BinOp::FloorDiv, &a, &b)?, worked_out(BinOp::FloorMod, &a, &b)?))
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Var;
    use tilewright_expr::node::EqCx;

    use super::*;

    fn var(name: &str) -> Expr {
        Expr::var(&Var::new(name, DataType::I32))
    }

    fn buffer(shape: &[Expr], strides: [&Expr; 2]) -> Buffer {
        let plain = Buffer::new("B", shape.to_vec(), DataType::F32);
        plain.derive(|node| node.strides = strides.map(Clone::clone).to_vec())
    }

    fn numbers(indices: Option<Vec<Expr>>) -> Option<Vec<Option<i64>>> {
        indices.map(|all| all.iter().map(Expr::as_int).collect())
    }

    fn same(found: &[Expr], expected: &[Expr]) -> bool {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| EqCx::compare(a, b).is_ok())
    }

    #[test]
    fn places_are_counted_row_by_row() {
        let (n, m, four) = (var("n"), var("m"), Expr::i32(4));
        let known = |linear: i32, shape: &[Expr]| numbers(unravelled(&Expr::i32(linear), shape).ok()).unwrap();
        assert_eq!(known(16, &[four.clone(), four.clone()]), [Some(4), Some(0)]);
        assert_eq!(known(7, &[four.clone(), four.clone()]), [Some(1), Some(3)]);
        assert_eq!(known(0, &[n.clone(), m.clone(), four]), [Some(0); 3]);
        assert_eq!(known(7, &[]), []);
        let symbolic = unravelled(&n, &[m.clone(), m.clone()]).unwrap();
        let expected = [Expr::binary(BinOp::FloorDiv, &n, &m), Expr::binary(BinOp::FloorMod, &n, &m)];
        assert!(same(&symbolic, &expected.map(Result::unwrap)));
    }

    #[test]
    fn strides_lead_to_an_element_or_to_none() {
        let (n, k, one, four) = (var("n"), var("k"), Expr::i32(1), Expr::i32(4));
        let shape = [four.clone(), four.clone()];
        let at = |strides: [&Expr; 2], offset: &Expr| indices_at(&buffer(&shape, strides), offset).unwrap();
        let known = |strides: [&Expr; 2], offset| numbers(at(strides, &Expr::i32(offset)));
        let (nothing, two, eight) = (Expr::i32(0), Expr::i32(2), Expr::i32(8));
        assert_eq!(known([&one, &four], 6), Some(vec![Some(2), Some(1)]));
        assert_eq!(known([&k, &one], 0), Some(vec![Some(0); 2]));
        assert_eq!(known([&nothing, &one], 3), Some(vec![Some(0), Some(3)]));
        assert_eq!(known([&eight, &two], 3), None);
        assert!(same(&at([&one, &k], &n).unwrap(), &[n.clone(), nothing.clone()]));
        assert!(at([&eight, &two], &n).is_none());
        let alone = Buffer::new("B", Vec::new(), DataType::F32);
        assert!(indices_at(&alone, &Expr::i32(0)).unwrap().is_some_and(|indices| indices.is_empty()));
        assert!(indices_at(&alone, &one).unwrap().is_none());
    }
}
