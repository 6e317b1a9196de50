//! `depth_to_space` and `space_to_depth`: channels as pixels, and pixels as channels.
//!
//! A pixel of a small image is a square of pixels, a *block*, of the large one: the channels of the small image are
//! those of the large one once for each position in the block.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};

use crate::{TeError, Tensor, Value, compute};

/// Whether positions in a block or channels of the large image vary slowest among the channels of the small one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All channels of one position, then those of the next.
    PositionsFirst,
    /// All positions of one channel, then those of the next.
    ChannelsFirst,
}

/// The dimensions of an image.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    pub channels: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Image {
    fn dims<'a>(&self, x: &'a Tensor, block: i64) -> Result<[&'a Expr; 3], TeError> {
        let of = |at: usize| x.shape().get(at).ok_or_else(|| TeError(format!("`{}` has no dimension {at}", x.name())));
        match block {
            1..=65_536 => Ok([of(self.channels)?, of(self.rows)?, of(self.columns)?]),
            _ => Err(TeError(format!("a block is from 1 to 65536 pixels wide, found {block}"))),
        }
    }

    /// The shape with other extents of the image.
    fn shape(&self, x: &Tensor, extents: [Expr; 3]) -> Vec<Expr> {
        let mut shape = x.shape().to_vec();
        for (at, extent) in [self.channels, self.rows, self.columns].into_iter().zip(extents) {
            if let Some(dim) = shape.get_mut(at) {
                *dim = Analyzer::new().simplify(&extent);
            }
        }
        shape
    }

    /// The element of `x` at the indices of another tensor with others along the image.
    fn element(&self, x: &Tensor, i: &[Value], image: [Value; 3]) -> Value {
        let mut own = i.to_vec();
        for (at, index) in [self.channels, self.rows, self.columns].into_iter().zip(image) {
            if let Some(position) = own.get_mut(at) {
                *position = index;
            }
        }
        x.at_all(&own)
    }
}

fn quotient(extent: &Expr, divisor: i64) -> Result<Expr, TeError> {
    if extent.as_int().is_some_and(|extent| extent % divisor != 0) {
        let extent = extent.as_int().unwrap_or_default();
        return Err(TeError(format!("{extent} is no multiple of {divisor}")));
    }
    Ok(Expr::binary(BinOp::FloorDiv, extent, &Expr::int(divisor, extent.dtype))?)
}

/// The large image whose blocks are the channels of the small one `x`.
pub fn depth_to_space(x: &Tensor, block: i64, order: Order, image: Image, name: &str) -> Result<Tensor, TeError> {
    let [channels, rows, columns] = image.dims(x, block)?;
    let deep = quotient(channels, block * block).map_err(|error| TeError(format!("channels: {error}")))?;
    let shape = image.shape(x, [deep.clone(), rows.clone() * block, columns.clone() * block]);
    compute(&shape, name, |i| {
        let [Some(channel), Some(row), Some(column)] = [i.get(image.channels), i.get(image.rows), i.get(image.columns)]
        else {
            return x.at_all(i);
        };
        let position = row.floor_mod(block) * block + column.floor_mod(block);
        let source = match order {
            Order::PositionsFirst => position * deep.clone() + channel,
            Order::ChannelsFirst => channel * (block * block) + position,
        };
        image.element(x, i, [source, row.floor_div(block), column.floor_div(block)])
    })
}

/// The small image whose channels are the blocks of the large one `x`.
pub fn space_to_depth(x: &Tensor, block: i64, order: Order, image: Image, name: &str) -> Result<Tensor, TeError> {
    let [channels, rows, columns] = image.dims(x, block)?;
    let small = |extent: &Expr| quotient(extent, block).map_err(|error| TeError(format!("blocks: {error}")));
    let shape = image.shape(x, [channels.clone() * (block * block), small(rows)?, small(columns)?]);
    compute(&shape, name, |i| {
        let [Some(channel), Some(row), Some(column)] = [i.get(image.channels), i.get(image.rows), i.get(image.columns)]
        else {
            return x.at_all(i);
        };
        let (source, position) = match order {
            Order::PositionsFirst => (channel.floor_mod(channels.clone()), channel.floor_div(channels.clone())),
            Order::ChannelsFirst => (channel.floor_div(block * block), channel.floor_mod(block * block)),
        };
        let row = row * block + position.floor_div(block);
        image.element(x, i, [source, row, column * block + position.floor_mod(block)])
    })
}
