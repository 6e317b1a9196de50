//! The Smith normal form of an integer matrix.
//!
//! Rows and columns are combined by integer steps that can be taken back, until only a diagonal is left on which each
//! entry divides the next. The steps on rows are collected in one matrix, those on columns in another, with its
//! inverse.

/// `left · matrix · right`, all of it diagonal; `left` and `right` have inverses over the integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmithForm {
    /// The diagonal, as long as the smaller side of the matrix: not negative, each entry divides the next, zeros last.
    pub diagonal: Vec<i64>,
    pub left: Vec<Vec<i64>>,
    pub right: Vec<Vec<i64>>,
    pub right_inverse: Vec<Vec<i64>>,
}

fn identity(n: usize) -> Vec<Vec<i64>> {
    (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect()
}

/// `row[to] += factor · row[from]`; `None` where a number does not fit.
fn add_row(matrix: &mut [Vec<i64>], from: usize, to: usize, factor: i64) -> Option<()> {
    for at in 0..matrix[from].len() {
        let step = matrix[from][at].checked_mul(factor)?;
        matrix[to][at] = matrix[to][at].checked_add(step)?;
    }
    Some(())
}

fn add_column(matrix: &mut [Vec<i64>], from: usize, to: usize, factor: i64) -> Option<()> {
    for row in matrix {
        let step = row[from].checked_mul(factor)?;
        row[to] = row[to].checked_add(step)?;
    }
    Some(())
}

struct Reduction {
    matrix: Vec<Vec<i64>>,
    form: SmithForm,
}

impl Reduction {
    fn add_row(&mut self, from: usize, to: usize, factor: i64) -> Option<()> {
        add_row(&mut self.matrix, from, to, factor)?;
        add_row(&mut self.form.left, from, to, factor)
    }

    fn add_column(&mut self, from: usize, to: usize, factor: i64) -> Option<()> {
        add_column(&mut self.matrix, from, to, factor)?;
        add_column(&mut self.form.right, from, to, factor)?;
        add_row(&mut self.form.right_inverse, to, from, factor.checked_neg()?)
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        self.matrix.swap(a, b);
        self.form.left.swap(a, b);
    }

    fn swap_columns(&mut self, a: usize, b: usize) {
        self.matrix.iter_mut().chain(&mut self.form.right).for_each(|row| row.swap(a, b));
        self.form.right_inverse.swap(a, b);
    }

    /// The smallest entry that is not zero, from the `at`-th row and column on.
    fn smallest(&self, at: usize) -> Option<(usize, usize)> {
        let rows = self.matrix.iter().enumerate().skip(at);
        let entries = rows.flat_map(|(i, row)| row.iter().enumerate().skip(at).map(move |(j, &value)| (value, i, j)));
        entries
            .filter(|&(value, ..)| value != 0)
            .min_by_key(|&(value, ..)| value.unsigned_abs())
            .map(|(_, i, j)| (i, j))
    }

    /// Leaves nothing in the `at`-th row and column but a corner that divides all that follows.
    fn reduce(&mut self, at: usize) -> Option<bool> {
        while let Some((row, column)) = self.smallest(at) {
            self.swap_rows(at, row);
            self.swap_columns(at, column);
            let pivot = self.matrix[at][at];
            let mut exact = true;
            for i in at + 1..self.matrix.len() {
                self.add_row(at, i, self.matrix[i][at].checked_div(pivot)?.checked_neg()?)?;
                exact &= self.matrix[i][at] == 0;
            }
            for j in at + 1..self.matrix[at].len() {
                self.add_column(at, j, self.matrix[at][j].checked_div(pivot)?.checked_neg()?)?;
                exact &= self.matrix[at][j] == 0;
            }
            if !exact {
                continue;
            }
            let mut rest = self.matrix.iter().enumerate().skip(at + 1);
            match rest.find(|(_, row)| row.iter().skip(at + 1).any(|value| value.checked_rem(pivot) != Some(0))) {
                Some((row, _)) => self.add_row(row, at, 1)?,
                None => return Some(true),
            }
        }
        Some(false)
    }
}

/// The Smith normal form of a matrix of `columns` columns; `None` where a number on the way does not fit in 64 bits.
pub fn smith_normal_form(matrix: &[Vec<i64>], columns: usize) -> Option<SmithForm> {
    if matrix.iter().any(|row| row.len() != columns) {
        return None;
    }
    let form = SmithForm {
        diagonal: vec![0; matrix.len().min(columns)],
        left: identity(matrix.len()),
        right: identity(columns),
        right_inverse: identity(columns),
    };
    let mut reduction = Reduction { matrix: matrix.to_vec(), form };
    for at in 0..reduction.form.diagonal.len() {
        if !reduction.reduce(at)? {
            break;
        }
        if reduction.matrix[at][at] < 0 {
            for row in [&mut reduction.matrix[at], &mut reduction.form.left[at]] {
                for value in row {
                    *value = value.checked_neg()?;
                }
            }
        }
        reduction.form.diagonal[at] = reduction.matrix[at][at];
    }
    Some(reduction.form)
}
