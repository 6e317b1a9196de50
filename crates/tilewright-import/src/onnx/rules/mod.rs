//! The rules, by the names of ONNX's operators: one function for each, in the tables of their families.
//!
//! An entry is a line: its names, inputs and attributes, and what makes it. Adding an operator: a function in its
//! family's file and a line in its table.

pub mod activation;
pub mod attention;
pub mod convolution;
pub mod create;
pub mod deform;
pub mod elementwise;
pub mod gather;
pub mod linear;
pub mod linear_attention;
pub mod microsoft;
pub mod misc;
pub mod normalise;
pub mod pooling;
pub mod quantise;
pub mod recurrent;
pub mod reduce;
pub mod resize;
pub mod sequence;
pub mod shape;
pub mod signal;
pub mod sort;

use std::sync::LazyLock;

use tilewright_support::Map;

use super::rule::Rule;
use crate::common::{Refused, Res};

/// Elements of a table of indices or weights that a rule works out at most: sizes that a file claims cost nothing.
const MAX_TABLE: i64 = 1 << 24;

/// Refuses a table of these sizes if it has too many elements.
pub fn check_table(sizes: &[i64]) -> Res<()> {
    let count = sizes.iter().try_fold(1i64, |count, size| count.checked_mul(*size));
    match count.is_some_and(|count| (0..=MAX_TABLE).contains(&count)) {
        true => Ok(()),
        false => Err(Refused(format!("a table of the shape {sizes:?} has more than {MAX_TABLE} elements"))),
    }
}

/// The tables of the families, with their domain.
const FAMILIES: [(&str, &[Rule]); 21] = [
    ("", elementwise::RULES),
    ("", activation::RULES),
    ("", shape::RULES),
    ("", reduce::RULES),
    ("", linear::RULES),
    ("", convolution::RULES),
    ("", pooling::RULES),
    ("", normalise::RULES),
    ("", gather::RULES),
    ("", sort::RULES),
    ("", create::RULES),
    ("", resize::RULES),
    ("", quantise::RULES),
    ("", recurrent::RULES),
    ("", attention::RULES),
    ("", sequence::RULES),
    ("", signal::RULES),
    ("", misc::RULES),
    ("com.microsoft", microsoft::RULES),
    ("com.microsoft", microsoft::attention::RULES),
    ("com.microsoft", microsoft::quantised::RULES),
];

/// The rules of a name, each with its domain.
type Table = Map<&'static str, Vec<(&'static str, Rule)>>;

fn by_name() -> &'static Table {
    static BY_NAME: LazyLock<Table> = LazyLock::new(|| {
        let mut table = Table::default();
        for (domain, rule) in FAMILIES.iter().flat_map(|(domain, family)| family.iter().map(move |rule| (domain, rule)))
        {
            for name in rule.names.split_whitespace() {
                table.entry(name).or_default().push((domain, *rule));
            }
        }
        table
    });
    &BY_NAME
}

/// The names for which there are rules.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|(_, family)| family.iter()).flat_map(|rule| rule.names.split_whitespace())
}

/// The rule of an operator. Models of ONNX Runtime have standard operators in its domain as well.
pub fn find(domain: &str, name: &str) -> Option<&'static Rule> {
    let of_domain = |wanted: &str| by_name().get(name)?.iter().find(|(own, _)| *own == wanted).map(|(_, rule)| rule);
    match domain {
        "" | "ai.onnx" => of_domain(""),
        "com.microsoft" => of_domain("com.microsoft").or_else(|| of_domain("")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_rule() {
        for domain in ["", "com.microsoft"] {
            let mut seen = tilewright_support::Set::default();
            let of_domain = FAMILIES.iter().filter(|(own, _)| *own == domain).flat_map(|(_, family)| family.iter());
            let mut names = of_domain.flat_map(|rule| rule.names.split_whitespace());
            assert_eq!(names.find(|name| !seen.insert(*name)), None);
        }
    }
}
