//! Sums of products by letters.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, tuple};
use super::epilogue::epilogue;

const TYPES: [&str; 8] = ["float32", "float32", "float32", "float16", "bfloat16", "float64", "int32", "int64"];

/// Well-known formulas, the plainest first; others have random letters.
const WRITTEN: [&str; 10] = [
    "ij,jk->ik",
    "bij,bjk->bik",
    "bhqd,bhkd->bhqk",
    "bhqk,bhkd->bqhd",
    "bqhd,bkhd->bhqk",
    "i,j->ij",
    "ii->i",
    "ij,ij->",
    "ij,jk,k->i",
    "abc->cba",
];

pub(super) fn einsum(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let dtype = g.dice.word(&TYPES);
    let text = if g.dice.one_in(2) { drawn(g.dice) } else { g.dice.word(&WRITTEN).to_owned() };
    let (operands, result) = text.split_once("->").unwrap_or((text.as_str(), ""));
    let mut letters: Vec<char> = operands.chars().filter(char::is_ascii_lowercase).collect();
    letters.sort_unstable();
    letters.dedup();
    let budget = g.dice.pick(&[300, 5_000, 60_000]).unwrap_or(300);
    let sizes = g.dice.sizes(letters.len(), budget);
    let order = g.dice.order(letters.len());
    let dims: Vec<(char, Dim)> = letters
        .iter()
        .zip(order)
        .filter_map(|(&letter, at)| sizes.get(at).map(|&size| (letter, size)))
        .map(|(letter, size)| (letter, g.dim(size, 6)))
        .collect();
    let shape = |letters: &str| -> Vec<Dim> {
        letters
            .chars()
            .filter_map(|c| dims.iter().find(|(letter, _)| *letter == c))
            .map(|(_, dim)| dim.clone())
            .collect()
    };
    let args: Vec<String> = operands.split(',').map(|own| g.param(&shape(own), dtype).name).collect();
    let summed: i64 = dims.iter().filter(|(letter, _)| !result.contains(*letter)).map(|(_, dim)| dim.size).product();
    // A product of three is rounded once more.
    g.sums(summed + 2, dtype);
    let value = g.emit(&format!("R.einsum({}, subscripts=\"{text}\")", tuple(&args)), &shape(result), dtype);
    let value: Value = epilogue(&mut g, value, None);
    g.finish(&[value])
}

/// Letters of two operands in any order; some of those of both are summed over.
fn drawn(dice: &mut Dice) -> String {
    let count = 2 + dice.below(4);
    let (mut operands, mut result) = (["".to_owned(), String::new()], Vec::new());
    for letter in ('a'..='z').take(count) {
        let of = dice.below(4);
        for (at, operand) in operands.iter_mut().enumerate() {
            if of == at || of > 1 {
                operand.push(letter);
            }
        }
        if !dice.one_in(3) {
            result.push(letter);
        }
    }
    let permuted = |dice: &mut Dice, letters: Vec<char>| -> String {
        dice.order(letters.len()).into_iter().filter_map(|at| letters.get(at)).collect()
    };
    let [a, b] = operands.map(|own| permuted(dice, own.chars().collect()));
    let result = permuted(dice, result);
    match b.is_empty() {
        true => format!("{a}->{result}"),
        false if a.is_empty() => format!("{b}->{result}"),
        false => format!("{a},{b}->{result}"),
    }
}
