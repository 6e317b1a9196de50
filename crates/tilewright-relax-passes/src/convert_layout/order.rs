//! Layouts as permutations of dimensions.

/// For each dimension, the dimension of the original tensor.
pub(super) type Order = Vec<usize>;

/// Whether it is the identity.
pub(super) fn is_own(order: &[usize]) -> bool {
    order.iter().enumerate().all(|(at, &from)| at == from)
}

/// The inverse.
pub(super) fn inverse(order: &[usize]) -> Order {
    (0..order.len()).filter_map(|at| order.iter().position(|&from| from == at)).collect()
}

/// The permutation from layout `from` to layout `to`.
pub(super) fn step(from: &[usize], to: &[usize]) -> Order {
    let back = inverse(from);
    to.iter().filter_map(|&at| back.get(at).copied()).collect()
}

/// The order that makes the layout `to` of `from`: texts of the same capital letters, each once.
pub(super) fn between(from: &str, to: &str) -> Option<Order> {
    let plain = |text: &str| text.chars().all(|letter| letter.is_ascii_uppercase());
    let order: Option<Order> = to.chars().map(|axis| from.chars().position(|own| own == axis)).collect();
    let order = order.filter(|order| plain(from) && plain(to) && order.len() == from.len())?;
    (inverse(&order).len() == order.len()).then_some(order)
}

/// The permuted layout; `None` of one that splits an axis or has other dimensions.
pub(super) fn reordered(layout: &str, order: &[usize]) -> Option<String> {
    between(layout, layout).filter(|own| own.len() == order.len())?;
    order.iter().map(|&at| layout.chars().nth(at)).collect()
}

/// The permutation that remains after some dimensions, numbered as in the original tensor, are removed.
pub(super) fn without(order: &[usize], dropped: &[usize]) -> Order {
    let stays = |at: &usize| !dropped.contains(at);
    let kept: Vec<usize> = (0..order.len()).filter(stays).collect();
    order.iter().copied().filter(stays).filter_map(|at| kept.iter().position(|&old| old == at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_nowhere() {
        let order = between("NCHW", "WNHC").unwrap();
        assert_eq!(order, [3, 0, 2, 1]);
        assert!(is_own(&step(&order, &order)));
        assert_eq!(step(&order, &[0, 1, 2, 3]), inverse(&order));
        assert_eq!(inverse(&order), [1, 3, 2, 0]);
        assert_eq!(reordered("NCHW", &order).as_deref(), Some("WNHC"));
    }

    #[test]
    fn a_layout_that_splits_or_lacks_an_axis_is_no_order() {
        for other in ["NCHW4c", "NCH", "NCHH", "NCHWD", "nchw"] {
            assert_eq!(between("NCHW", other), None, "{other}");
        }
    }

    #[test]
    fn remaining_dimensions_are_renumbered() {
        // NCHW in the order NHWC, without H and W: N, C.
        assert_eq!(without(&[0, 2, 3, 1], &[2, 3]), [0, 1]);
        // Without N: H, W, C of C, H, W.
        assert_eq!(without(&[0, 2, 3, 1], &[0]), [1, 2, 0]);
    }
}
