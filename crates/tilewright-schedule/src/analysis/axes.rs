//! Axes of blocks: the loops that drive them, and several taken together as one.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Expr, IterKind, PrimFunc, Var};
use tilewright_tensor::DataType;

use crate::analysis::epilogue::check_whole;
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, typed};
use crate::fault::Fault;
use crate::site::Site;

/// An axis from zero on.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) var: Var,
    pub(crate) extent: Expr,
}

/// Axes taken together as one, the last one running fastest.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) axes: Vec<Axis>,
    /// The product of the extents.
    pub(crate) size: Expr,
}

impl Group {
    pub(crate) fn new(known: &Analyzer, axes: Vec<Axis>, index: DataType) -> Result<Self, Fault> {
        let mut size = Expr::int(1, index);
        for axis in &axes {
            size = binary(BinOp::Mul, &size, &axis.extent)?;
        }
        Ok(Self { axes, size: known.simplify(&size) })
    }

    /// The values of the axes at an index of the long one.
    pub(crate) fn values(&self, known: &Analyzer, index: &Expr) -> Result<Vec<(Var, Expr)>, Fault> {
        let (mut rest, mut values) = (index.clone(), Vec::with_capacity(self.axes.len()));
        for (number, axis) in self.axes.iter().enumerate().rev() {
            let value = match axis.extent.as_int() {
                Some(1) => Expr::int(0, axis.var.dtype),
                _ if self.axes.iter().take(number).all(|outer| outer.extent.as_int() == Some(1)) => rest.clone(),
                _ => {
                    let value = binary(BinOp::FloorMod, &rest, &axis.extent)?;
                    rest = binary(BinOp::FloorDiv, &rest, &axis.extent)?;
                    value
                }
            };
            values.push((axis.var.clone(), known.simplify(&value)));
        }
        Ok(values)
    }
}

/// The spatial and the reduced axes of a block that is alone in its nest, and the type of all of them. Each has a loop
/// of its own for its values.
pub(crate) fn of_reduction(function: &PrimFunc, site: &Site) -> Result<(Vec<Axis>, Vec<Axis>, DataType), Fault> {
    let block = site.expect_block()?;
    let known = known_around(function, site);
    check_whole(&known, site, block)?;
    let index = block.iters.first().map_or(DataType::I64, |iter| iter.var.dtype);
    let (mut spatial, mut reduced) = (Vec::new(), Vec::new());
    for iter in &block.iters {
        let wrong = |what: &str| Fault::at(site, format!("axis `{}` of block `{}` {what}", iter.var.name, block.name));
        let extent = known.simplify(&typed(iter.domain.extent.cast(index))?);
        if iter.var.dtype != index {
            return Err(wrong("has another type than the others"));
        }
        let axis = Axis { var: iter.var.clone(), extent };
        match iter.kind {
            IterKind::Spatial => spatial.push(axis),
            IterKind::Reduce => reduced.push(axis),
            IterKind::Scan | IterKind::Opaque => return Err(wrong("is neither spatial nor reduced")),
        }
    }
    if reduced.is_empty() {
        return Err(Fault::at(site, format!("block `{}` reduces no axis", block.name)));
    }
    Ok((spatial, reduced, index))
}
