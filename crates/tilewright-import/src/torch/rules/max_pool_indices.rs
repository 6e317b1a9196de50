//! Where the largest element of each window lies: `return_indices` of the maximum poolings.
//!
//! A window has a number of places along each dimension, of which those outside of the data are taken as the nearest
//! one inside: it counts twice, which does not change what is largest, nor where it is first.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, floor_divide, floor_mod, maximum, minimum, multiply, subtract};
use tilewright_ops::indexed::take;
use tilewright_ops::statistical::{argmax, max};
use tilewright_ops::unary::negative;
use tilewright_tensor::DataType;

use crate::common::{Cx, Op, Refused, Res, ToAttr, Value};

/// The windows along one dimension: window `i` holds the elements `start[i] + k * step`, for `k` from `first[i]` to
/// `last[i]`, of all that `k < width` would be.
#[derive(Debug)]
pub struct Along {
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

impl Along {
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
        let behind = with(cx, &subtract::OP, &start, &last)?;
        let last = with(cx, &floor_divide::OP, &cx.call(&negative::OP, &[&behind], [])?, &scalar::Expr::i64(dilation))?;
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

    /// The places of the elements of these numbers in their windows, where the windows are the dimension that `behind`
    /// others follow.
    fn place(&self, cx: &Cx<'_>, k: &Expr, behind: usize) -> Res<Expr> {
        let column = |x: &Expr| {
            let dims = [std::slice::from_ref(&self.count), &vec![scalar::Expr::i64(1); behind]].concat();
            cx.reshape(x, dims)
        };
        let k = cx.call(&maximum::OP, &[k, &column(&self.first)?], [])?;
        let k = cx.call(&minimum::OP, &[&k, &column(&self.last)?], [])?;
        cx.call(&add::OP, &[&with(cx, &multiply::OP, &k, &scalar::Expr::i64(self.step))?, &column(&self.start)?], [])
    }
}

/// The largest element of each window over the last dimensions, and its number among the elements of those dimensions.
pub fn largest_and_place(cx: &mut Cx<'_>, x: &Expr, windows: &[Along]) -> Res<[Expr; 2]> {
    let shape = cx.shape(x)?;
    let before = shape.len().saturating_sub(windows.len());
    let mut inside = x.clone();
    for (at, along) in windows.iter().enumerate() {
        let places = along.place(cx, &cx.arange(&scalar::Expr::i64(along.width))?, 1)?;
        inside = cx.call(&take::OP, &[&inside, &places], [("axis", ((before + 2 * at) as i64).to_attr())])?;
    }
    // Windows first, then what is in them, as one dimension.
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
    let (mut place, mut row) = (None, scalar::Expr::i64(1));
    for (at, along) in windows.iter().enumerate().rev() {
        let k = with(cx, &floor_mod::OP, &number, &scalar::Expr::i64(along.width))?;
        number = cx.emit(with(cx, &floor_divide::OP, &number, &scalar::Expr::i64(along.width))?)?;
        let part = with(cx, &multiply::OP, &along.place(cx, &k, windows.len() - 1 - at)?, &row)?;
        place = Some(match place {
            None => part,
            Some(place) => cx.call(&add::OP, &[&place, &part], [])?,
        });
        row = cx.simplified(&(row * shape[before + at].clone()));
    }
    Ok([largest, place.ok_or_else(|| Refused::new("expected windows"))?])
}
