//! Generated operands of scores: masks that compare positions, biases that are slopes times distances. Each attention
//! recomputes them, which takes less time than reading them, and shows which keys a query attends to.

use tilewright_ir::op::Fusion;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo};

use super::chain::Block;

/// Operators at most that are recomputed.
const MAX_RECOMPUTED_OPS: usize = 24;
/// A generated operand has at least this many times the elements of its inputs.
const MIN_EXPANSION: i64 = 64;

impl Block<'_> {
    /// The bindings that generate operands of the given ones, in order.
    pub(super) fn generated_operands(&self, members: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for &member in members.iter().filter(|&&member| self.is_elementwise(member)) {
            let Some((_, args, _)) = self.op(member) else { continue };
            let others = args.iter().filter(|arg| self.bound(arg).is_some_and(|at| !members.contains(&at)));
            found.extend(others.filter_map(|arg| self.generated(arg)).flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The bindings that generate an operand of queries times keys.
    fn generated(&self, operand: &Expr) -> Option<Vec<usize>> {
        let [.., queries, keys] = operand.struct_info.dims()? else { return None };
        if [queries, keys].iter().any(|dim| dim.as_int() == Some(1)) {
            return None;
        }
        let mut found = Vec::new();
        self.sources(operand, elements(operand), &mut found)?;
        Some(found)
    }

    /// Adds the bindings that generate a tensor, down to small ones; `all` is the number of generated elements, if
    /// known.
    fn sources(&self, tensor: &Expr, all: Option<i64>, found: &mut Vec<usize>) -> Option<()> {
        let before = found.len();
        if let Some(at) = self.bound(tensor)
            && before < MAX_RECOMPUTED_OPS
        {
            if found.contains(&at) {
                return Some(());
            }
            if let Some(args) = self.generates(at) {
                found.push(at);
                if args.into_iter().all(|arg| self.sources(arg, all, found).is_some()) {
                    return Some(());
                }
                found.truncate(before);
            }
        }
        let own = elements(tensor)?;
        let is_small =
            own <= MIN_EXPANSION || own.checked_mul(MIN_EXPANSION).zip(all).is_some_and(|(own, all)| own <= all);
        is_small.then_some(())
    }

    /// The tensors that the binding works on, element by element of its result.
    fn generates(&self, at: usize) -> Option<Vec<&Expr>> {
        let (op, args, _) = self.op(at)?;
        let is_tensor = |arg: &&Expr| matches!(arg.struct_info, StructInfo::Tensor { .. });
        let tensors: Vec<&Expr> = args.iter().filter(is_tensor).collect();
        // Of several tensors one may hold the indices at which others are read.
        let max_pattern = if tensors.len() > 1 { Fusion::Broadcast } else { Fusion::Injective };
        let is_one = matches!(self.result(at), StructInfo::Tensor { .. });
        let plain = !args.iter().any(|arg| matches!(arg.kind, ExprKind::Tuple(_)));
        (op.properties.pure && op.properties.fusion <= max_pattern && is_one && plain).then_some(tensors)
    }
}

fn elements(tensor: &Expr) -> Option<i64> {
    tensor.struct_info.dims()?.iter().try_fold(1_i64, |count, dim| count.checked_mul(dim.as_int()?))
}
