//! Calls in other layouts, by the properties of their operators.

use tilewright_ir::op::{Layouts, OpRef};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo};
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::manipulate::expand_dims;

use super::order::{Order, between, inverse, reordered, without};
use super::{Block, Placed, text};

/// A value, and the order in which it is.
type Changed = (Expr, Placed);

/// A call of an operator.
struct Called<'e> {
    op: OpRef,
    args: &'e [Expr],
    attrs: &'e Attrs,
}

impl Block<'_> {
    /// The expression of the value in another layout; `None` without a change.
    pub(super) fn changed(&mut self, value: &Expr) -> Option<Changed> {
        match &value.kind {
            ExprKind::TupleGet { tuple, index } => {
                let (value, Placed::Tuple(orders)) = self.placed.get(&tuple.as_var()?.id())? else { return None };
                let field = Expr::tuple_get(value.clone(), *index).ok()?;
                let own = || (0..field.struct_info.rank().unwrap_or(0)).collect();
                let order = orders.get(*index)?.clone().unwrap_or_else(own);
                Some((field, Placed::Tensor(order)))
            }
            ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } => {
                let call = Called { op: *op, args, attrs };
                match op.layouts() {
                    Layouts::Fixed => None,
                    Layouts::Shared => self.shared(&call, value.struct_info.rank()?),
                    Layouts::Named { operands, result } => self.named(&call, operands, result),
                    Layouts::Numbered(names) => self.numbered(&call, names),
                    Layouts::Dropped(name) => self.dropped(&call, name),
                }
            }
            _ => None,
        }
    }

    /// All operands in the order of the first that has another one than its own, with dimensions of 1 before those that
    /// they lack.
    fn shared(&mut self, call: &Called<'_>, rank: usize) -> Option<Changed> {
        let order = call.args.iter().filter_map(|arg| self.order_of(arg)).find(|order| order.len() == rank)?.clone();
        let movable = |arg: &Expr| match arg.struct_info {
            StructInfo::Tensor { .. } => arg.struct_info.rank().is_some_and(|own| own <= rank),
            ref info => matches!(info, StructInfo::Prim { .. }),
        };
        if !call.args.iter().all(movable) {
            return None;
        }
        let mut args = Vec::new();
        for arg in call.args {
            args.push(match arg.struct_info.rank() {
                Some(own) if own == rank => self.operand(arg, &order)?,
                Some(own) if own > 0 => {
                    let own: Order = (0..own).collect();
                    let missing: Vec<i64> = (0..rank - own.len()).map(|at| at as i64).collect();
                    let source = self.operand(arg, &own)?;
                    let spread = expand_dims::call(&self.cx, source, &missing).ok()?;
                    let spread = self.bind(spread);
                    self.operand(&spread, &order)?
                }
                _ => arg.clone(),
            });
        }
        let changed = Expr::call_op(&self.cx, call.op, args, call.attrs.clone()).ok()?;
        Some((changed, Placed::Tensor(order)))
    }

    /// The layouts that the user wants; of other operators, that of the data.
    fn named(&mut self, call: &Called<'_>, operands: &[&str], result: &str) -> Option<Changed> {
        let own: Vec<&str> = operands.iter().map(|name| text(call.attrs, name)).collect::<Option<_>>()?;
        let own_result = text(call.attrs, result)?;
        let mut texts: Vec<String> = own.iter().map(|&text| text.to_owned()).collect();
        let result_text = match self.wanted(call.op, operands.len()) {
            Some((wanted, result)) => {
                texts.iter_mut().zip(wanted).for_each(|(text, wanted)| text.clone_from(wanted));
                result.to_owned()
            }
            None => {
                let data = texts.first_mut()?;
                *data = reordered(data, self.order_of(call.args.first()?)?)?;
                data.clone()
            }
        };
        let orders = own.iter().zip(&texts).map(|(own, text)| between(own, text)).collect::<Option<Vec<_>>>()?;
        let order = between(own_result, &result_text)?;
        let fits = |(arg, order): (&Expr, &Order)| arg.struct_info.rank() == Some(order.len());
        if !call.args.iter().zip(&orders).all(fits) {
            return None;
        }
        let mut args = call.args.to_vec();
        for (arg, order) in args.iter_mut().zip(&orders) {
            *arg = self.operand(arg, order)?;
        }
        self.own_order(&mut args[orders.len()..]);
        let mut attrs = call.attrs.clone();
        attrs.insert(result.into(), Attr::str(result_text));
        for (name, text) in operands.iter().zip(texts) {
            attrs.insert((*name).into(), Attr::str(text));
        }
        Some((Expr::call_op(&self.cx, call.op, args, attrs).ok()?, Placed::Tensor(order)))
    }

    /// The first operand in the order in which it is computed; the first of its fields that has one says that of a
    /// tuple.
    fn first_operand(&mut self, call: &Called<'_>) -> Option<(Vec<Expr>, Order)> {
        let first = call.args.first()?;
        let (first, order) = match &first.kind {
            ExprKind::Tuple(fields) => {
                let order = fields.iter().find_map(|field| self.order_of(field))?.clone();
                if !fields.iter().all(|field| field.struct_info.rank() == Some(order.len())) {
                    return None;
                }
                let fields = fields.iter().map(|field| self.operand(field, &order)).collect::<Option<_>>()?;
                (Expr::tuple(fields), order)
            }
            _ => {
                let order = self.order_of(first)?.clone();
                (self.operand(first, &order)?, order)
            }
        };
        let mut args = call.args.to_vec();
        self.own_order(&mut args[1..]);
        args[0] = first;
        Some((args, order))
    }

    /// Operands that stay are bound in their own order.
    fn own_order(&mut self, args: &mut [Expr]) {
        for arg in args {
            if let Some(var) = arg.as_var().cloned() {
                self.put_back(&var);
            }
        }
    }

    fn numbered(&mut self, call: &Called<'_>, names: &[&str]) -> Option<Changed> {
        let (args, order) = self.first_operand(call)?;
        let mut attrs = call.attrs.clone();
        for name in names {
            let moved = match attrs.get(*name)? {
                Attr::Int(axis) => Attr::Int(moved(&order, *axis)?),
                axes => Attr::Array(moved_all(&order, &axes.as_ints()?)?),
            };
            attrs.insert((*name).into(), moved);
        }
        let changed = Expr::call_op(&self.cx, call.op, args, attrs).ok()?;
        let of_field = |info: &StructInfo| (info.rank() == Some(order.len())).then(|| order.clone());
        let placed = match &changed.struct_info {
            StructInfo::Tuple(fields) => Placed::Tuple(fields.iter().map(of_field).collect()),
            info => Placed::Tensor(of_field(info)?),
        };
        Some((changed, placed))
    }

    fn dropped(&mut self, call: &Called<'_>, name: &str) -> Option<Changed> {
        let (args, order) = self.first_operand(call)?;
        let mut attrs = call.attrs.clone();
        let axes = match attrs.get(name)? {
            Attr::None => (0..order.len()).collect(),
            axes => {
                let axes = axes.as_ints()?;
                attrs.insert(name.into(), Attr::Array(moved_all(&order, &axes)?));
                axes.iter().map(|&axis| wrapped(axis, order.len())).collect::<Option<Vec<_>>>()?
            }
        };
        let keeps = attrs.get("keepdims").is_some_and(Attr::is_true);
        let order = if keeps { order } else { without(&order, &axes) };
        Some((Expr::call_op(&self.cx, call.op, args, attrs).ok()?, Placed::Tensor(order)))
    }
}

/// The dimension that a number, which may count from the end, means.
fn wrapped(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    usize::try_from(if axis < 0 { axis.checked_add(rank)? } else { axis }).ok()
}

/// The position of a dimension in a permutation.
fn moved(order: &[usize], axis: i64) -> Option<i64> {
    let at = *inverse(order).get(wrapped(axis, order.len())?)?;
    i64::try_from(at).ok()
}

fn moved_all(order: &[usize], axes: &[i64]) -> Option<Vec<Attr>> {
    axes.iter().map(|&axis| moved(order, axis).map(Attr::Int)).collect()
}
