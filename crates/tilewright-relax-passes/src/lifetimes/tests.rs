//! Lifetimes of hand-made ranges, and of functions as text.

use tilewright_ir::relax::{StructInfo, Var};

use super::{Lifetime, joined, peak};

impl Lifetime {
    /// A lifetime as no function has it.
    pub(crate) fn for_test(var: Var, needed: Vec<(usize, usize)>, branches: Vec<(usize, bool)>) -> Self {
        let at = needed.first().map_or(0, |range| range.0);
        Self { var, at, escapes: false, needed, branches }
    }
}

fn life(needed: &[(usize, usize)], branches: &[(usize, bool)]) -> Lifetime {
    Lifetime::for_test(Var::new("t", StructInfo::Object), needed.to_vec(), branches.to_vec())
}

#[test]
fn lifetimes_meet_where_a_position_needs_both() {
    let a = life(&[(0, 3), (8, 9)], &[]);
    for (other, meets) in [
        (&[(3, 4)][..], true),
        (&[(4, 7)], false),
        (&[(4, 7), (9, 12)], true),
        (&[(10, 12)], false),
        (&[(0, 0)], true),
        (&[], false),
    ] {
        let other = life(other, &[]);
        assert_eq!((a.meets(&other), other.meets(&a)), (meets, meets), "{other:?}");
    }
}

#[test]
fn values_of_different_branches_exclude_each_other() {
    let then = life(&[(4, 9)], &[(4, true)]);
    assert!(!then.meets(&life(&[(6, 9)], &[(4, false)])));
    assert!(!then.meets(&life(&[(7, 9)], &[(4, false), (7, true)])));
    assert!(then.meets(&life(&[(5, 9)], &[(4, true), (5, false)])));
    assert!(then.meets(&life(&[(9, 9)], &[(9, false)])));
}

#[test]
fn values_that_precede_are_defined_on_every_path() {
    let outside = life(&[(0, 1)], &[]);
    let then = life(&[(4, 5)], &[(4, true)]);
    let otherwise = life(&[(6, 7)], &[(4, false)]);
    assert!(outside.precedes(&then) && !then.precedes(&outside));
    assert!(!then.precedes(&otherwise) && !then.precedes(&life(&[(9, 9)], &[])));
}

#[test]
fn ranges_that_touch_are_one() {
    let mut ranges = vec![(6, 9), (0, 2), (3, 4), (8, 8)];
    joined(&mut ranges);
    assert_eq!(ranges, [(0, 4), (6, 9)]);
}

#[test]
fn the_peak_is_of_one_moment_on_one_path() {
    let values = [life(&[(0, 1)], &[]), life(&[(2, 3)], &[]), life(&[(3, 4)], &[])];
    assert_eq!(peak(&[(&values[0], 100), (&values[1], 50), (&values[2], 60)]), 110);
    // Both are live after the conditional, but no run has both.
    let branches = [life(&[(4, 9)], &[(4, true)]), life(&[(6, 9)], &[(4, false)]), life(&[(9, 9)], &[])];
    assert_eq!(peak(&[(&branches[0], 100), (&branches[1], 50), (&branches[2], 1)]), 101);
    assert_eq!(peak(&[]), 0);
}
