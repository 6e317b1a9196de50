//! Non-maximum suppression: boxes in the order of falling scores, without those that overlap a box chosen before.
//!
//! For each class the boxes are looked at in the order of their scores. A box is chosen unless its intersection over
//! union with a chosen one is above the threshold: as many comparisons as there are chosen boxes. Each class is a task.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::Stmt;
use tilewright_tensor::DataType;

use super::sort::sorted;
use super::sort_keys::SortSpec;
use super::statements::{Cell, Names, both, compare, looped, serial, when};
use crate::{TeError, Tensor, extern_op};

/// What four numbers say of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxFormat {
    /// Two opposite corners, in any order.
    Corners,
    /// The centre, and the sizes along both dimensions.
    Center,
}

/// The operands: boxes `(batch, boxes, 4)`, scores `(batch, classes, boxes)`, and tensors of one element: a box is out
/// where it overlaps more than `overlap`, and unless its score is above `least`.
#[derive(Clone, Copy, Debug)]
pub struct Suppressed<'a> {
    pub boxes: &'a Tensor,
    pub scores: &'a Tensor,
    pub overlap: &'a Tensor,
    pub least: &'a Tensor,
    pub format: BoxFormat,
}

/// The indices of the chosen boxes of each class, `(batch, classes, most)`: the best first, and -1 after the last.
pub fn non_max_suppression(
    caps: &Capabilities,
    given: Suppressed<'_>,
    most: &Expr,
    name: &str,
) -> Result<Tensor, TeError> {
    let spec = SortSpec { axis: 2, descending: true, indices: Some(DataType::I64) };
    let (_, Some(order)) = sorted(caps, given.scores, None, spec, "order")? else {
        return Err(TeError("sorting gives no indices".into()));
    };
    let ins = [given.boxes, given.scores, given.overlap, given.least, &order].map(Clone::clone);
    let [batch, classes, _] = given.scores.shape() else {
        return Err(TeError("scores are of batch, classes and boxes".into()));
    };
    let dims = vec![batch.clone(), classes.clone(), most.clone()];
    let outputs = [(dims, DataType::I64)];
    let op = extern_op(&outputs, &ins, name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([boxes, scores, overlap, least, order], [chosen]) => {
            let at = [Var::new("batch", DataType::I64), Var::new("class", DataType::I64)];
            let state = Class { boxes, scores, overlap, least, order, chosen, format: given.format, at: &at };
            let class = looped(&at[1], &chosen.shape[1], caps.task_loop(), state.statements()?);
            Ok(serial(&at[0], &chosen.shape[0], class))
        }
        _ => Err(TeError(format!("`{name}` has five operands"))),
    })?;
    op.outputs().into_iter().next().ok_or_else(|| TeError(format!("`{name}` makes no tensor")))
}

/// One class of one example.
struct Class<'a> {
    boxes: &'a Buffer,
    scores: &'a Buffer,
    overlap: &'a Buffer,
    least: &'a Buffer,
    /// Indices of boxes by falling score.
    order: &'a Buffer,
    chosen: &'a Buffer,
    format: BoxFormat,
    at: &'a [Var; 2],
}

/// The corners of a box, the lesser ones first, and its area.
struct Extent {
    low: [Expr; 2],
    high: [Expr; 2],
    area: Expr,
}

impl Class<'_> {
    fn index(&self, last: &Expr) -> Vec<Expr> {
        self.at.iter().map(Expr::var).chain([last.clone()]).collect()
    }

    fn statements(&self) -> Result<Stmt, TeError> {
        let (most, count) = (&self.chosen.shape[2], Cell::new("count", DataType::I64));
        if most.as_int() == Some(0) {
            return Ok(Stmt::nothing());
        }
        let (clear, next) = (Var::new("clear", DataType::I64), Var::new("next", DataType::I64));
        let none = Stmt::store(self.chosen, self.index(&Expr::var(&clear)), &Expr::i64(-1))?;
        let mut names = Names::default();
        let place = names.name("place", Expr::load(self.order, self.index(&Expr::var(&next)))?);
        let score = Expr::load(self.scores, self.index(&place))?;
        let least = Expr::load(self.least, vec![Expr::i64(0); self.least.shape.len()])?;
        let may_enter = both(&compare(CmpOp::Lt, &count.get()?, most)?, &compare(CmpOp::Gt, &score, &least)?)?;
        let consider = names.around(when(may_enter, self.consider(&place, &count)?, None));
        let boxes = &self.order.shape[2];
        let all = [count.set(&Expr::i64(0))?, serial(&clear, most, none), serial(&next, boxes, consider)];
        Ok(count.around(Stmt::seq(all)))
    }

    /// Chooses a box unless it overlaps one that is chosen.
    fn consider(&self, place: &Expr, count: &Cell) -> Result<Stmt, TeError> {
        let (free, before) = (Cell::new("free", DataType::I32), Var::new("before", DataType::I64));
        let mut names = Names::default();
        let own = self.extent(place, &mut names)?;
        let number = names.name("number", count.get()?);
        let mut inner = Names::default();
        let chosen = inner.name("chosen", Expr::load(self.chosen, self.index(&Expr::var(&before)))?);
        let other = self.extent(&chosen, &mut inner)?;
        let out = when(self.overlaps(&own, &other, &mut inner)?, free.set(&Expr::i32(0))?, None);
        let is_free = compare(CmpOp::Ne, &free.get()?, &Expr::i32(0))?;
        let look = when(is_free.clone(), inner.around(out), None);
        let choose = [Stmt::store(self.chosen, self.index(&number), place)?, count.set(&(number.clone() + 1))?];
        let all = [free.set(&Expr::i32(1))?, serial(&before, &number, look), when(is_free, Stmt::seq(choose), None)];
        Ok(names.around(free.around(Stmt::seq(all))))
    }

    fn extent(&self, place: &Expr, names: &mut Names) -> Result<Extent, TeError> {
        let number = |at: i64| {
            let index = vec![Expr::var(&self.at[0]), place.clone(), Expr::i64(at)];
            Expr::load(self.boxes, index)
        };
        let two = |op: BinOp, a: &Expr, b: &Expr| Expr::binary(op, a, b);
        let mut side = |at: i64| -> Result<[Expr; 2], TeError> {
            let (first, second) = (names.name("first", number(at)?), names.name("second", number(at + 2)?));
            let ends = match self.format {
                BoxFormat::Corners => [two(BinOp::Min, &first, &second)?, two(BinOp::Max, &first, &second)?],
                BoxFormat::Center => {
                    let half = names.name("half", two(BinOp::Mul, &second, &Expr::float(0.5, second.dtype))?);
                    [two(BinOp::Sub, &first, &half)?, two(BinOp::Add, &first, &half)?]
                }
            };
            Ok(ends.map(|end| names.name("end", end)))
        };
        let ([low, high], [left, right]) = (side(0)?, side(1)?);
        let area = two(BinOp::Mul, &two(BinOp::Sub, &high, &low)?, &two(BinOp::Sub, &right, &left)?)?;
        Ok(Extent { low: [low, left], high: [high, right], area: names.name("area", area) })
    }

    /// Whether the intersection over union is above the threshold; without a division, by the area of empty boxes too.
    fn overlaps(&self, a: &Extent, b: &Extent, names: &mut Names) -> Result<Expr, TeError> {
        let two = |op: BinOp, a: &Expr, b: &Expr| Expr::binary(op, a, b);
        let mut sides = Vec::new();
        for axis in 0..2 {
            let begin = two(BinOp::Max, &a.low[axis], &b.low[axis])?;
            let length = two(BinOp::Sub, &two(BinOp::Min, &a.high[axis], &b.high[axis])?, &begin)?;
            let zero = Expr::float(0.0, length.dtype);
            sides.push(names.name("side", two(BinOp::Max, &length, &zero)?));
        }
        let common = names.name("common", two(BinOp::Mul, &sides[0], &sides[1])?);
        let union = two(BinOp::Sub, &two(BinOp::Add, &a.area, &b.area)?, &common)?;
        let overlap = Expr::load(self.overlap, vec![Expr::i64(0); self.overlap.shape.len()])?;
        compare(CmpOp::Gt, &common, &two(BinOp::Mul, &union, &overlap)?)
    }
}
