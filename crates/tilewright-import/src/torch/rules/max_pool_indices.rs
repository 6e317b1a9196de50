//! Indices of max pooling (`return_indices`): the linear index of the maximum of each window.
//!
//! Taps of a window outside of the data are clamped to the nearest one inside, which is read twice: that changes
//! neither the maximum nor its first index.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, floor_divide, floor_mod, maximum, minimum, multiply, subtract};
use tilewright_ops::indexed::take;
use tilewright_ops::statistical::{argmax, max};
use tilewright_ops::unary::negative;
use tilewright_tensor::DataType;

use crate::common::{Cx, Op, Refused, Res, ToAttr, Value};

/// The windows along one dimension: window `i` has the taps `start[i] + k * step` for `k < width`; those with `k` from
/// `first[i]` to `last[i]` are inside the data.
#[derive(Debug)]
pub struct Windows {
    count: scalar::Expr,
    start: Expr,
    first: Expr,
    last: Expr,
    step: i64,
    width: i64,
}

/// An operator of a tensor of integers and an integer.
fn with(cx: &Cx<'_>, op: Op, x: &Expr, value: &scalar::Expr) -> Res<Expr> {
    cx.call(op, &[x, &cx.operand(&Value::int(value.clone()), DataType::I64)?], [])
}

impl Windows {
    /// Windows of `width` elements `dilation` apart that begin `stride` apart, the first of them `padding` before the
    /// data, which has `extent` elements.
    pub fn regular(
        cx: &mut Cx<'_>,
        count: scalar::Expr,
        extent: &scalar::Expr,
        [width, stride, padding, dilation]: [i64; 4],
    ) -> Res<Self> {
        let start = with(cx, &multiply::OP, &cx.arange(&count)?, &scalar::Expr::i64(stride))?;
        let start = with(cx, &subtract::OP, &start, &scalar::Expr::i64(padding))?;
        let start = cx.emit(start)?;
        // -start / dilation, rounded up.
        let before = with(cx, &floor_divide::OP, &start, &scalar::Expr::i64(dilation))?;
        let first = with(cx, &maximum::OP, &cx.call(&negative::OP, &[&before], [])?, &scalar::Expr::i64(0))?;
        let last = cx.integer(BinOp::Sub, extent, &scalar::Expr::i64(1))?;
        let distance = with(cx, &subtract::OP, &start, &last)?;
        let last =
            with(cx, &floor_divide::OP, &cx.call(&negative::OP, &[&distance], [])?, &scalar::Expr::i64(dilation))?;
        let last = with(cx, &minimum::OP, &last, &scalar::Expr::i64(width - 1))?;
        Ok(Self { count, start, first: cx.emit(first)?, last: cx.emit(last)?, step: dilation, width })
    }

    /// Windows that divide `extent` elements into `count` parts: window `i` goes from `i * extent / count`, rounded
    /// down, to `(i + 1) * extent / count`, rounded up.
    pub fn dividing(cx: &mut Cx<'_>, count: i64, extent: i64) -> Res<Self> {
        if count < 1 || extent < 1 {
            return Err(Refused(format!("{count} windows of a dimension of {extent} have no rule")));
        }
        let (number, count) = (cx.arange(&scalar::Expr::i64(count))?, scalar::Expr::i64(count));
        let number = with(cx, &multiply::OP, &number, &scalar::Expr::i64(extent))?;
        let start = cx.emit(with(cx, &floor_divide::OP, &number, &count)?)?;
        let ends = with(cx, &add::OP, &number, &scalar::Expr::i64(extent - 1))?;
        let last = cx.call(&subtract::OP, &[&with(cx, &floor_divide::OP, &ends, &count)?, &start], [])?;
        let first = with(cx, &multiply::OP, &start, &scalar::Expr::i64(0))?;
        let widest = count.as_int().map_or(1, |count| (extent - 1) / count + 1 + i64::from(extent % count != 0));
        Ok(Self { count, start, first: cx.emit(first)?, last: cx.emit(last)?, step: 1, width: widest })
    }

    /// The indices of the taps `k`, clamped into the data. `trailing` is the number of dimensions after that of the
    /// windows.
    fn tap_indices(&self, cx: &Cx<'_>, k: &Expr, trailing: usize) -> Res<Expr> {
        let column = |x: &Expr| {
            let dims = [std::slice::from_ref(&self.count), &vec![scalar::Expr::i64(1); trailing]].concat();
            cx.reshape(x, dims)
        };
        let k = cx.call(&maximum::OP, &[k, &column(&self.first)?], [])?;
        let k = cx.call(&minimum::OP, &[&k, &column(&self.last)?], [])?;
        cx.call(&add::OP, &[&with(cx, &multiply::OP, &k, &scalar::Expr::i64(self.step))?, &column(&self.start)?], [])
    }
}

/// The maximum of each window over the last dimensions, and its linear index in those dimensions.
pub fn max_and_index(cx: &mut Cx<'_>, x: &Expr, windows: &[Windows]) -> Res<[Expr; 2]> {
    let shape = cx.shape(x)?;
    let before = shape.len().saturating_sub(windows.len());
    let mut inside = x.clone();
    for (at, along) in windows.iter().enumerate() {
        let taps = along.tap_indices(cx, &cx.arange(&scalar::Expr::i64(along.width))?, 1)?;
        inside = cx.call(&take::OP, &[&inside, &taps], [("axis", ((before + 2 * at) as i64).to_attr())])?;
    }
    // Dimensions of windows first, then all taps as one dimension.
    let of_windows = (0..windows.len()).map(|at| before + 2 * at);
    let order = (0..before).chain(of_windows.clone()).chain(of_windows.map(|at| at + 1)).map(|axis| axis as i64);
    let inside = cx.permute(&inside, order.collect())?;
    let counts = windows.iter().map(|along| along.count.clone());
    let width = windows.iter().try_fold(1i64, |all, along| all.checked_mul(along.width));
    let width = width.ok_or_else(|| Refused::new("the windows are larger than any data"))?;
    let dims = shape[..before].iter().cloned().chain(counts).chain([scalar::Expr::i64(width)]).collect();
    let inside = cx.emit(cx.reshape(&inside, dims)?)?;
    let largest = cx.call(&max::OP, &[&inside], [("axis", vec![-1i64].to_attr())])?;
    let mut number = cx.emit(cx.call(&argmax::OP, &[&inside], [("axis", (-1i64).to_attr())])?)?;
    let (mut index, mut row) = (None, scalar::Expr::i64(1));
    for (at, along) in windows.iter().enumerate().rev() {
        let k = with(cx, &floor_mod::OP, &number, &scalar::Expr::i64(along.width))?;
        number = cx.emit(with(cx, &floor_divide::OP, &number, &scalar::Expr::i64(along.width))?)?;
        let part = with(cx, &multiply::OP, &along.tap_indices(cx, &k, windows.len() - 1 - at)?, &row)?;
        index = Some(match index {
            None => part,
            Some(index) => cx.call(&add::OP, &[&index, &part], [])?,
        });
        row = cx.simplified(&(row * shape[before + at].clone()));
    }
    Ok([largest, index.ok_or_else(|| Refused::new("expected windows"))?])
}
