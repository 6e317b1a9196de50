//! Indices of buffers, and loads under a predicate.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_ir::tir::{Buffer, Expr};

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::value::Value;

impl Parser<'_> {
    /// `A.vload([i, j], predicate=p)`.
    pub(in crate::parse) fn masked_load(
        &mut self,
        expr: &ast::Expr,
        buffer: &Buffer,
        call: &ast::ExprCall,
    ) -> Res<Value> {
        let bound = self.bind(call, &["begin", "dtype", "predicate"], 1)?;
        let indices = self.index_list(buffer, bound[0])?;
        let predicate = bound[2].map(|predicate| self.scalar(predicate, None)).transpose()?;
        let result = Expr::load_where(buffer, indices, predicate);
        self.typed(expr, result)
    }

    pub(super) fn index_list(&mut self, buffer: &Buffer, list: Option<&ast::Expr>) -> Res<Vec<Expr>> {
        match list {
            Some(ast::Expr::List(list)) => self.checked_indices(buffer, &list.elts, list),
            Some(ast::Expr::Tuple(list)) => self.checked_indices(buffer, &list.elts, list),
            Some(other) => Err(self.fail(codes::FORM, other, "expected a list of indices", "")),
            None => Err(Reported),
        }
    }

    /// The indices in the brackets after a buffer.
    pub(in crate::parse) fn indices(&mut self, buffer: &Buffer, slice: &ast::Expr) -> Res<Vec<Expr>> {
        match slice {
            ast::Expr::Tuple(tuple) => self.checked_indices(buffer, &tuple.elts, slice),
            one => self.checked_indices(buffer, std::slice::from_ref(one), slice),
        }
    }

    fn checked_indices(&mut self, buffer: &Buffer, items: &[ast::Expr], node: &impl Ranged) -> Res<Vec<Expr>> {
        self.check_arity(buffer, items.len(), node)?;
        let indices: Vec<_> = items.iter().map(|item| self.index(buffer, item)).collect();
        indices.into_iter().collect()
    }

    pub(super) fn check_arity(&mut self, buffer: &Buffer, found: usize, node: &impl Ranged) -> Res<()> {
        if found == buffer.rank() {
            return Ok(());
        }
        let message = format!(
            "buffer `{}` has {}, found {}",
            buffer.name,
            count(buffer.rank(), "dimension"),
            count(found, "index")
        );
        let shape: Vec<_> = buffer.shape.iter().map(crate::parse::dims::text).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let label = format!("its shape is ({}{comma})", shape.join(", "));
        Err(self.fail(codes::INDICES, node, message, label))
    }

    /// One index: a scalar, or a slice of constant length, which is a ramp.
    fn index(&mut self, buffer: &Buffer, item: &ast::Expr) -> Res<Expr> {
        let ast::Expr::Slice(slice) = item else {
            let index = self.scalar(item, None)?;
            if !index.dtype.is_int() {
                let message = format!("an index of buffer `{}` must be an integer, found {}", buffer.name, index.dtype);
                return Err(self.fail(codes::DTYPE, item, message, ""));
            }
            return Ok(index);
        };
        let (Some(lower), Some(upper)) = (&slice.lower, &slice.upper) else {
            return Err(self.fail(codes::FORM, item, "a vector access needs a start and a stop", "write `start:stop`"));
        };
        let (lower, upper) = (self.eval(lower), self.eval(upper));
        let (lower, upper) = self.unify([item, item], lower?, upper?)?;
        let step = slice.step.as_ref().map_or(Ok(1), |step| self.integer(step))?;
        let extent =
            crate::spelling::range_between(&lower, &upper).map(|range| self.infer.analyzer.simplify(&range.extent));
        match extent.as_ref().and_then(Expr::as_int) {
            Some(extent) if extent > 0 && step > 0 => {
                let lanes = extent.saturating_add(step - 1) / step;
                let Ok(lanes) = u16::try_from(lanes) else {
                    return Err(self.fail(
                        codes::RANGE,
                        item,
                        format!("a vector of {lanes} lanes is not possible"),
                        "",
                    ));
                };
                if lanes == 1 {
                    return Ok(lower);
                }
                let ramp = Expr::ramp(&lower, &Expr::int(step, lower.dtype), lanes);
                self.checked(item, ramp)
            }
            _ => Err(self.fail(codes::KIND, item, "a vector access needs a constant length above 0", "")),
        }
    }
}
