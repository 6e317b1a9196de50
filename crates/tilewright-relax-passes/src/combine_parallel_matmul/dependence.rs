//! Dependences between the products of a block.

use tilewright_ir::relax::Binding;
use tilewright_support::Map;

use crate::needs::needs;

/// The products that each product needs, directly or through other bindings: a row of bits each, found in one walk.
pub(super) struct Dependence {
    /// The numbers of the products among themselves, by those of their bindings.
    numbers: Map<usize, usize>,
    rows: Vec<Vec<u64>>,
}

const BITS: usize = u64::BITS as usize;

impl Dependence {
    /// By product, in the order of the bindings.
    pub(super) fn of(bindings: &[Binding], products: &[usize]) -> Self {
        let numbers: Map<usize, usize> = products.iter().enumerate().map(|(number, at)| (*at, number)).collect();
        if products.len() < 2 {
            return Self { numbers, rows: Vec::new() };
        }
        let words = products.len().div_ceil(BITS);
        let mut all: Vec<Vec<u64>> = Vec::with_capacity(bindings.len());
        for needed in needs(bindings) {
            let mut row = vec![0; words];
            for at in needed {
                row.iter_mut().zip(&all[at]).for_each(|(word, other)| *word |= other);
                if let Some(number) = numbers.get(&at) {
                    row[number / BITS] |= 1 << (number % BITS);
                }
            }
            all.push(row);
        }
        let rows = products.iter().map(|at| std::mem::take(&mut all[*at])).collect();
        Self { numbers, rows }
    }

    /// Whether the later product needs the earlier one.
    pub(super) fn needs(&self, later: usize, earlier: usize) -> bool {
        let (Some(&later), Some(&earlier)) = (self.numbers.get(&later), self.numbers.get(&earlier)) else {
            return false;
        };
        self.rows.get(later).is_some_and(|row| row[earlier / BITS] >> (earlier % BITS) & 1 == 1)
    }
}
