//! Names: suggestions for misspelt ones, and unique ones for output.

use crate::Map;

/// The candidate most similar to `name`, if any is close: for suggestions in errors.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, limit), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The edit distance: letters added, dropped, replaced or exchanged with the next; something above `limit` when that
/// is more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let first: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut row) = (first.clone(), first);
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (row[j + 1] + 1).min(next[j] + 1).min(row[j] + usize::from(x != y));
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            next[j + 1] = least;
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

/// Hands out names that are unique among those it has seen: `x`, `x_1`, `x_2`, …
#[derive(Clone, Default, Debug)]
pub struct NameSupply {
    used: Map<String, usize>,
}

impl NameSupply {
    /// Takes a name out of circulation; false if it was taken already.
    pub fn reserve(&mut self, name: &str) -> bool {
        match self.used.entry(name.to_owned()) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(0);
                true
            }
        }
    }

    /// The wish itself if it is free, else the wish with `separator` and the first number that makes it free.
    pub fn fresh(&mut self, wish: &str, separator: &str) -> String {
        if self.reserve(wish) {
            return wish.to_owned();
        }
        loop {
            let count = self.used.entry(wish.to_owned()).or_default();
            *count += 1;
            let name = format!("{wish}{separator}{count}");
            if self.reserve(&name) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("matmull", ["add", "matmul"]), Some("matmul"));
        assert_eq!(nearest("relu", ["conv2d", "add"]), None);
        assert_eq!(nearest("mian", ["other", "main"]), Some("main"));
        assert_eq!(nearest("", ["a"]), Some("a"));
    }

    #[test]
    fn fresh_names_never_collide() {
        let mut names = NameSupply::default();
        assert_eq!(names.fresh("x", "_"), "x");
        assert!(names.reserve("x_1"));
        assert_eq!(names.fresh("x", "_"), "x_2");
        assert_eq!(names.fresh("x", ""), "x3");
    }
}
