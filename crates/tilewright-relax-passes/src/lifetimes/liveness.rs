//! The walk backwards: from uses up to beginnings.

use tilewright_support::{Map, with_stack};

use super::Lifetime;
use super::scan::Step;

/// Values that are needed at a position, each with the last position of the range that the walk is in.
type Live = Map<usize, usize>;

/// Fills in the positions at which each value is needed.
pub(super) fn find(steps: &[Step], values: &mut [Lifetime]) {
    let mut live = Live::default();
    sequence(steps, values, &mut live);
    // A value that no path has begun where it is used is not of a well-formed function; it is needed from the start.
    for (value, last) in live {
        values[value].needed.push((0, last));
    }
}

fn sequence(steps: &[Step], values: &mut [Lifetime], live: &mut Live) {
    for step in steps.iter().rev() {
        match step {
            Step::At { position, begins, uses } => {
                if let Some(begun) = begins {
                    let last = live.remove(begun).unwrap_or(*position);
                    values[*begun].needed.push((*position, last));
                }
                for value in uses {
                    live.entry(*value).or_insert(*position);
                }
            }
            Step::Fork { then, otherwise, start, middle, meeting } => {
                let after: Vec<usize> = live.keys().copied().collect();
                for (value, last) in live.drain() {
                    values[value].needed.push((*meeting, last));
                }
                for (branch, first, end) in [(then, *start, *middle), (otherwise, *middle, *meeting)] {
                    // A value defined in the other branch does not exist in this one.
                    let exists = |value: &&usize| {
                        let at = values[**value].at;
                        at < *start || (first..end).contains(&at)
                    };
                    let mut inside: Live = after.iter().filter(exists).map(|&value| (value, end - 1)).collect();
                    with_stack(|| sequence(branch, values, &mut inside));
                    for (value, last) in inside {
                        values[value].needed.push((first, last));
                        live.insert(value, start - 1);
                    }
                }
            }
        }
    }
}
