//! The elements of an image in another size.
//!
//! Where rows of the image lie in memory, a row of the result is made in two steps: one as high as its position between
//! the data's rows and as wide as these, whose elements are sums over neighbours in memory alike; then the elements
//! between those of that row. What is known of a column, the index of its neighbour and the weights, is worked out once
//! for all rows: tables of a row's length have it. In a short row that is one vector, columns are constants, and so is
//! what is known of them.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::InferCx;
use tilewright_te::{TeError, Tensor, Value, compute, topi};
use tilewright_tensor::DataType;

use super::interpolation::{Method, Tap, sum_of, working_type};
use super::resize2d::{Position, Resize};

/// The largest number of columns that a schedule computes as one vector.
const FEW_COLUMNS: i64 = 64;
/// Columns of the data for each of the result from which on whole rows between rows cost more than their neighbours do.
const MOST_STEPS: i64 = 16;

/// The neighbours of a position along a dimension.
pub(super) struct Neighbours {
    /// The one at or before the position, which may lie outside.
    pub(super) index: Value,
    /// The offset and the weight of each of them.
    pub(super) weights: Vec<(i64, Option<Value>)>,
    /// The index of the last element.
    pub(super) last: Expr,
}

impl Neighbours {
    /// Their indices, within the data, and weights.
    fn taps(&self) -> Vec<Tap> {
        let held = |index: &Value| index.min(self.last.clone()).max(0);
        let tap = |(offset, weight): &(i64, Option<Value>)| match offset {
            0 => (held(&self.index), weight.clone()),
            offset => (held(&(&self.index + *offset)), weight.clone()),
        };
        self.weights.iter().map(tap).collect()
    }
}

/// For each column of the result, the index of its neighbour and the weights of all.
struct Tables {
    index: Tensor,
    weights: Vec<Option<Tensor>>,
}

impl Tables {
    /// The neighbours of a column, as the tables have them.
    fn at(&self, column: &Value, neighbours: Neighbours) -> Neighbours {
        let read = |table: &Tensor| table.at_all(std::slice::from_ref(column));
        let weight =
            |((offset, _), table): (&(i64, Option<Value>), &Option<Tensor>)| (*offset, table.as_ref().map(read));
        Neighbours {
            index: read(&self.index).cast(DataType::I64),
            weights: neighbours.weights.iter().zip(&self.weights).map(weight).collect(),
            last: neighbours.last,
        }
    }
}

/// An image and what becomes of it.
pub(super) struct Image<'a> {
    resize: &'a Resize,
    data: &'a Tensor,
    /// Batch, channels, height and width.
    own: Vec<Expr>,
    /// Height and width of the result.
    size: &'a [Expr],
    /// The type of weights and sums.
    float: DataType,
    dtype: DataType,
}

impl<'a> Image<'a> {
    pub(super) fn new(
        resize: &'a Resize,
        data: &'a Tensor,
        size: &'a [Expr],
        dtype: DataType,
    ) -> Result<Self, TeError> {
        let own = resize.layout.logical_shape(data.shape())?;
        Ok(Self { resize, data, own, size, float: working_type(data.dtype()), dtype })
    }

    /// The result, of these dimensions.
    pub(super) fn resized(&self, dims: &[Expr]) -> Result<Tensor, TeError> {
        let layout = &self.resize.layout;
        let in_rows = layout.by_dim(|axis, _| axis).last() == Some(&3);
        let (own, columns) = (self.own[3].as_int(), self.size[1].as_int());
        let tables = match in_rows && columns.is_none_or(|columns| columns > FEW_COLUMNS) {
            true => Some(self.tables()?),
            false => None,
        };
        let is_near = own.zip(columns).is_none_or(|(own, columns)| own / columns.max(1) < MOST_STEPS);
        let rows = match in_rows && is_near && self.resize.method != Method::Nearest {
            true => Some(self.rows()?),
            false => None,
        };
        compute(dims, "resize", |i| {
            let at = layout.logical(i);
            let (along_rows, along_columns) = match (self.position(0, &at[2]), self.position(1, &at[3])) {
                (Ok(rows), Ok(columns)) => (rows, columns),
                (Err(error), _) | (_, Err(error)) => return Value::wrong(error),
            };
            let mut inside = [self.inside(0, &along_rows), self.inside(1, &along_columns)].concat();
            // Rows between rows are there in any case.
            inside.extend(if rows.is_none() { self.not_empty(0) } else { None });
            inside.extend(self.not_empty(1));
            let mut columns = self.neighbours(1, &along_columns);
            if let Some(tables) = &tables {
                columns = tables.at(&at[3], columns);
            }
            let value = match &rows {
                Some(rows) => {
                    let element = |position: &[Value]| rows.at_all(&layout.physical(&[&at[..3], position].concat()));
                    sum_of(&[columns.taps()], &element)
                }
                None => {
                    let element = |position: &[Value]| self.element(&layout.physical(&[&at[..2], position].concat()));
                    sum_of(&[self.neighbours(0, &along_rows).taps(), columns.taps()], &element)
                }
            };
            let outside = Value::from(Expr::float(self.resize.extrapolation, DataType::F64)).cast(self.dtype);
            let value = value.cast(self.dtype);
            topi::all_of(inside).map_or(value.clone(), |inside| inside.if_then_else(&value, &outside))
        })
    }

    fn element(&self, position: &[Value]) -> Value {
        let element = self.data.at_all(position);
        if self.resize.method == Method::Nearest { element } else { element.cast(self.float) }
    }

    /// The position of an index of the result; `d` is 0 for rows, 1 for columns.
    fn position(&self, d: usize, i: &Value) -> Result<Position, TeError> {
        self.resize.position(d, i, &self.own[d + 2], &self.size[d], self.float)
    }

    fn neighbours(&self, d: usize, position: &Position) -> Neighbours {
        self.resize.neighbours(position, &self.own[d + 2], self.float)
    }

    /// The condition that a position lies among the elements, if it may not.
    fn inside(&self, d: usize, position: &Position) -> Vec<Value> {
        match position {
            Position::Ratio { .. } => Vec::new(),
            Position::Steps(position) => {
                let last = Value::from(self.own[d + 2].clone() - 1).cast(self.float);
                vec![position.ge(0.0), position.le(last)]
            }
        }
    }

    /// That there is an element, where that is not certain: an image that turns out to be empty has no nearest one.
    fn not_empty(&self, d: usize) -> Option<Value> {
        let n = &self.own[d + 2];
        let least = InferCx::default().analyzer.decide(CmpOp::Ge, n, &Expr::i64(1));
        (least != Some(true)).then(|| Value::from(n.clone()).gt(0))
    }

    /// Rows between the rows of the data, as wide as these.
    fn rows(&self) -> Result<Tensor, TeError> {
        let layout = &self.resize.layout;
        let logical = [&self.own[..2], &self.size[..1], &self.own[3..]].concat();
        compute(&layout.physical_shape(&logical)?, "resize_rows", |i| {
            let at = layout.logical(i);
            let position = match self.position(0, &at[2]) {
                Ok(position) => position,
                Err(error) => return Value::wrong(error),
            };
            let element = |position: &[Value]| self.element(&layout.physical(&[&at[..2], position, &at[3..]].concat()));
            let sum = sum_of(&[self.neighbours(0, &position).taps()], &element);
            let zero = Value::from(Expr::float(0.0, self.float));
            self.not_empty(0).map_or(sum.clone(), |some| some.if_then_else(&sum, &zero))
        })
    }

    fn tables(&self) -> Result<Tables, TeError> {
        let columns = std::slice::from_ref(&self.size[1]);
        let neighbours = |i: &[Value]| self.position(1, &i[0]).map(|position| self.neighbours(1, &position));
        // If the image is known to be narrower than 2^31, its look-up indices are int32.
        let is_short = self.own[3].as_int().is_some_and(|own| own < i64::from(i32::MAX));
        let dtype = if is_short { DataType::I32 } else { DataType::I64 };
        let index = compute(columns, "resize_columns", |i| match neighbours(i) {
            Ok(found) => found.index.cast(dtype),
            Err(error) => Value::wrong(error),
        })?;
        let count = match self.resize.method {
            Method::Nearest => return Ok(Tables { index, weights: vec![None] }),
            Method::Linear => 2,
            Method::Cubic(_) => 4,
        };
        let weight = |number: usize| {
            compute(columns, "resize_weights", |i| match neighbours(i) {
                Ok(found) => match found.weights.into_iter().nth(number) {
                    Some((_, Some(weight))) => weight,
                    _ => Value::wrong(TeError("a neighbour has a weight".into())),
                },
                Err(error) => Value::wrong(error),
            })
        };
        let weights = (0..count).map(|number| weight(number).map(Some)).collect::<Result<Vec<_>, _>>()?;
        Ok(Tables { index, weights })
    }
}
