//! Which operands of scores are worked out from next to nothing: masks that are comparisons of places, biases that are slopes
//! times distances. Each attention works them out for itself, which takes less time than reading them, and shows which keys a
//! query sees.

use tilewright_ir::op::Fusion;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo};

use super::chain::Block;

/// The most operators that are worked out again.
const MOST: usize = 24;
/// So many times as many elements as what it is worked out from such an operand has at least.
const TIMES: i64 = 64;

impl Block<'_> {
    /// What generates the operands of the bindings, in order.
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

    /// Adds the bindings that generate a tensor, down to small ones; `all` is how many elements are generated, if that is known.
    fn sources(&self, tensor: &Expr, all: Option<i64>, found: &mut Vec<usize>) -> Option<()> {
        let before = found.len();
        if let Some(at) = self.bound(tensor)
            && before < MOST
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
        let is_small = own <= TIMES || own.checked_mul(TIMES).zip(all).is_some_and(|(own, all)| own <= all);
        is_small.then_some(())
    }

    /// The tensors that the binding works on, element by element of its result.
    fn generates(&self, at: usize) -> Option<Vec<&Expr>> {
        let (op, args, _) = self.op(at)?;
        let is_tensor = |arg: &&Expr| matches!(arg.struct_info, StructInfo::Tensor { .. });
        let tensors: Vec<&Expr> = args.iter().filter(is_tensor).collect();
        // Of several tensors one may hold the places at which others are read.
        let most = if tensors.len() > 1 { Fusion::Broadcast } else { Fusion::Injective };
        let is_one = matches!(self.result(at), StructInfo::Tensor { .. });
        let plain = !args.iter().any(|arg| matches!(arg.kind, ExprKind::Tuple(_)));
        (op.properties.pure && op.properties.fusion <= most && is_one && plain).then_some(tensors)
    }
}

fn elements(tensor: &Expr) -> Option<i64> {
    tensor.struct_info.dims()?.iter().try_fold(1_i64, |count, dim| count.checked_mul(dim.as_int()?))
}
