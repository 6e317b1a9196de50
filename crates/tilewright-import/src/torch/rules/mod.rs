//! The rules, by the names of ATen's operators: one function for each, in the tables of their families.
//!
//! An entry is a line: its names, its parameters (see [`Args`](crate::common::Args)), and what makes it. A name with an
//! underscore at its end that no entry has is the change in place of the one without. A *view* gives a tensor over the
//! memory of its first argument, or that argument itself; where it depends on the layout whether PyTorch copies, it is
//! said to be one ([`Memory`](super::rule::Memory)).
//!
//! Adding an operator: a function in its family's file and a line in its table.

pub mod activation;
pub mod arithmetic;
pub mod attention;
pub mod boxes;
pub mod convolution;
pub mod create;
pub mod diagonal;
pub mod embedding_bag;
pub mod gather_scatter;
pub mod grid_sample;
pub mod index_put;
pub mod indexing;
pub mod interpolate;
pub mod linear;
pub mod loss;
pub mod masks;
pub mod max_pool_indices;
pub mod normalise;
pub mod pooling;
pub mod reduce;
pub mod scan;
pub mod scatter_reduce;
pub mod shape;
pub mod sort_search;
pub mod special_functions;
pub mod unfold;
pub mod unique;

use std::sync::LazyLock;

use tilewright_support::Map;

use super::rule::Rule;

/// The tables of the families.
const FAMILIES: [&[Rule]; 26] = [
    arithmetic::RULES,
    activation::RULES,
    reduce::RULES,
    scan::RULES,
    sort_search::RULES,
    shape::RULES,
    indexing::RULES,
    masks::RULES,
    gather_scatter::RULES,
    scatter_reduce::RULES,
    index_put::RULES,
    embedding_bag::RULES,
    unique::RULES,
    diagonal::RULES,
    unfold::RULES,
    special_functions::RULES,
    create::RULES,
    linear::RULES,
    convolution::RULES,
    interpolate::RULES,
    grid_sample::RULES,
    boxes::RULES,
    pooling::RULES,
    normalise::RULES,
    attention::RULES,
    loss::RULES,
];

fn by_name() -> &'static Map<&'static str, Rule> {
    static BY_NAME: LazyLock<Map<&'static str, Rule>> = LazyLock::new(|| {
        let all = FAMILIES.iter().flat_map(|family| family.iter());
        all.flat_map(|rule| rule.names.split_whitespace().map(|name| (name, *rule))).collect()
    });
    &BY_NAME
}

/// The names for which there are rules.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.iter()).flat_map(|rule| rule.names.split_whitespace())
}

/// The rule of a name, and whether the name says that the first argument is changed in place. `aten.` before a name
/// means the operator as ATen itself has it: where its arguments have another order there, it has a rule of its own.
pub fn find(name: &str) -> Option<(&'static Rule, bool)> {
    let known = |name: &str| by_name().get(name).or_else(|| by_name().get(name.strip_prefix("aten.")?));
    let own = known(name).map(|rule| (rule, rule.changes));
    own.or_else(|| known(name.strip_suffix('_')?).map(|rule| (rule, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_rule() {
        let mut seen = tilewright_support::Set::default();
        let twice: Vec<&str> = names().filter(|name| !seen.insert(*name)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn an_underscore_means_a_change_in_place() {
        assert!(find("add_").is_some_and(|(rule, in_place)| in_place && rule.names.contains("add")));
        for name in ["fill_", "zero_", "copy_", "aten.fill_", "setitem"] {
            assert!(find(name).is_some_and(|(_, in_place)| in_place), "{name}");
        }
        for name in ["relu", "fill", "copy", "aten.fill"] {
            assert!(find(name).is_some_and(|(_, in_place)| !in_place), "{name}");
        }
        assert!(find("no_such_operator_").is_none());
    }
}
