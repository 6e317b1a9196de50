//! Recognises attention in a dataflow block.

use tilewright_expr as scalar;
use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::analysis::has_reshape_pattern;
use tilewright_ir::analysis::tir::{OpPattern, op_pattern};
use tilewright_ir::calls::TirCall;
use tilewright_ir::legalize::LegalizeCx;
use tilewright_ir::op::{Fusion, InferCx, OpCall, OpRef};
use tilewright_ir::relax::{Binding, Callee, Expr, ExprKind, StructInfo};
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::binary::{divide, multiply};
use tilewright_ops::create::astype;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::nn::{attention, attention_bias, softmax};
use tilewright_schedule::rules::{AttentionTypes, GraphSpec, can};
use tilewright_support::Map;
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::spelled::number;
use crate::needs::{needs, users};
use crate::sequence::bound_value;

/// Operators at most between the first product and the softmax, and before or after an operand.
const MAX_CHAIN_OPS: usize = 16;

/// A dataflow block, with what the search for attention needs.
pub(super) struct Block<'b> {
    module: &'b IRModule,
    bindings: &'b [Binding],
    index: Map<VarId, usize>,
    /// Of each binding those that use it.
    users: Vec<Vec<usize>>,
    cx: InferCx,
    target: &'b Target,
}

impl<'b> Block<'b> {
    pub(super) fn of(module: &'b IRModule, bindings: &'b [Binding], target: &'b Target) -> Self {
        let index = bindings.iter().enumerate().map(|(i, binding)| (binding.var.id(), i)).collect();
        Self { module, bindings, index, users: users(&needs(bindings)), cx: InferCx::default(), target }
    }

    /// The attention whose last product, or whose one operator, is the binding.
    pub(super) fn attention(&self, end: usize) -> Option<Found> {
        let (op, args, _) = self.op(end)?;
        let (mut members, mut copied) = (vec![end], Vec::new());
        let operands = if op == OpRef(&attention::OP) || op == OpRef(&attention_bias::OP) {
            let [queries, keys, values, ..] = args else { return None };
            self.has_kernel([queries, keys, values], sum_dtype(queries)?)?;
            [queries, keys, values]
        } else if op == OpRef(&matmul::OP) {
            let [weights, values] = args else { return None };
            let mut inner = self.weights(weights)?;
            if !self.mixes(end, weights) {
                return None;
            }
            self.has_kernel([inner.queries, inner.keys, values], weights.struct_info.dtype()?)?;
            copied = self.generated_operands(&inner.path);
            members.append(&mut inner.path);
            [inner.queries, inner.keys, values]
        } else {
            return None;
        };
        let chains = operands.map(|operand| self.with_formulas(self.movers(operand)));
        match self.parts_of_one(&chains).or_else(|| self.pieces_of_one(&chains)) {
            Some(mut all) => members.append(&mut all),
            None => chains.into_iter().for_each(|chain| self.without_views(chain.found, &mut members)),
        }
        self.movers_after(end, &mut members);
        members.sort_unstable();
        members.dedup();
        let is_known = |member: &usize| match &self.bindings[*member].var.struct_info {
            StructInfo::Tuple(fields) => fields.iter().all(|field| field.dims().is_some() && field.dtype().is_some()),
            info => info.dims().is_some() && info.dtype().is_some(),
        };
        copied.retain(|copy| !members.contains(copy));
        (members.len() > 1 && members.iter().chain(&copied).all(is_known)).then_some(Found { members, copied })
    }

    fn call(&self, at: usize) -> Option<(&'b Callee, &'b [Expr], &'b Attrs)> {
        match &bound_value(&self.bindings[at])?.kind {
            ExprKind::Call { callee, args, attrs, .. } => Some((callee, args, attrs)),
            _ => None,
        }
    }

    pub(super) fn op(&self, at: usize) -> Option<(OpRef, &'b [Expr], &'b Attrs)> {
        match self.call(at)? {
            (Callee::Op(op), args, attrs) => Some((*op, args, attrs)),
            _ => None,
        }
    }

    /// The binding of an operand.
    pub(super) fn bound(&self, operand: &Expr) -> Option<usize> {
        self.index.get(&operand.as_var()?.id()).copied()
    }

    /// The binding of an operand that nothing else uses.
    fn only_used_here(&self, operand: &Expr) -> Option<usize> {
        let at = self.bound(operand)?;
        (self.bindings[at].var.dataflow && self.users[at].len() == 1).then_some(at)
    }

    pub(super) fn result(&self, at: usize) -> &StructInfo {
        &self.bindings[at].var.struct_info
    }

    /// Whether only members use the binding.
    pub(super) fn only_used_by(&self, at: usize, members: &[usize]) -> bool {
        self.bindings[at].var.dataflow && self.users[at].iter().all(|user| members.contains(user))
    }

    /// The attention weights: a softmax over the last dimension of values computed from a product.
    fn weights(&self, operand: &'b Expr) -> Option<Weights<'b>> {
        let at = self.only_used_here(operand)?;
        if let Some(rows) = self.view_of_rows(at) {
            let mut found = self.weights(rows)?;
            found.path.push(at);
            return (found.path.len() <= 2 * MAX_CHAIN_OPS).then_some(found);
        }
        let (op, args, attrs) = self.op(at)?;
        if let Some(softmax) = self.spelled_softmax(at) {
            let mut found = self.product_at(softmax.scores, MAX_CHAIN_OPS)?;
            found.path.extend(softmax.members);
            return Some(found);
        }
        let [scores] = args else { return None };
        if op != OpRef(&softmax::OP) {
            return None;
        }
        let rank = scores.struct_info.rank()?;
        let axis = attrs.get("axis").and_then(Attr::as_int)?;
        let is_last = axis == -1 || usize::try_from(axis).is_ok_and(|axis| axis + 1 == rank);
        let mut found = is_last.then(|| self.product(scores, MAX_CHAIN_OPS))??;
        found.path.push(at);
        Some(found)
    }

    /// Whether the product mixes the values for each row of weights: it has no dimensions but those of the weights and
    /// the width of the values.
    fn mixes(&self, end: usize, weights: &Expr) -> bool {
        let (Some([rows @ .., _]), Some([mixed @ .., _])) = (weights.struct_info.dims(), self.result(end).dims())
        else {
            return false;
        };
        let alike = rows.iter().zip(mixed).all(|(a, b)| self.cx.analyzer.prove_equal(a, b));
        rows.len() == mixed.len() && alike
    }

    /// Asks whether the target computes attention of such operands, whose softmax and weights have this type.
    fn has_kernel(&self, [queries, keys, values]: [&Expr; 3], weights: DataType) -> Option<()> {
        let last = |operand: &Expr| operand.struct_info.dims()?.last()?.as_int();
        let types = AttentionTypes {
            queries: queries.struct_info.dtype()?,
            keys: keys.struct_info.dtype()?,
            softmax: weights,
            weights,
            head_dim: last(queries),
            value_dim: last(values),
        };
        can(&GraphSpec::Attention(types), self.target).then_some(())
    }

    /// The product at the start of a chain of elementwise operators.
    fn product(&self, operand: &'b Expr, longest: usize) -> Option<Weights<'b>> {
        self.product_at(self.only_used_here(operand)?, longest)
    }

    fn product_at(&self, at: usize, longest: usize) -> Option<Weights<'b>> {
        let (callee, args, _) = self.call(at)?;
        if let Callee::Op(op) = callee
            && *op == OpRef(&matmul::OP)
        {
            let [queries, keys] = args else { return None };
            return Some(Weights { path: vec![at], queries, keys });
        }
        if longest == 0 {
            return None;
        }
        let result = &self.bindings[at].var.struct_info;
        let mut found = if self.is_elementwise(at) {
            let alike = args.iter().filter(|arg| self.same_shape(&arg.struct_info, result));
            alike.into_iter().find_map(|arg| self.product(arg, longest - 1))?
        } else {
            self.product(self.view_of_rows(at)?, longest - 1)?
        };
        found.path.push(at);
        Some(found)
    }

    /// The matrices of which the binding is a view that numbers them in another way.
    fn view_of_rows(&self, at: usize) -> Option<&'b Expr> {
        let rows = self.moves(at).filter(|moved| self.same_rows(&moved.struct_info, self.result(at)))?;
        self.keeps_order(at).then_some(rows)
    }

    /// Whether both are matrices of the same size, or several of them.
    fn same_rows(&self, a: &StructInfo, b: &StructInfo) -> bool {
        match (a.dims(), b.dims()) {
            (Some([.., a, b]), Some([.., c, d])) => {
                self.cx.analyzer.prove_equal(a, c) && self.cx.analyzer.prove_equal(b, d)
            }
            _ => false,
        }
    }

    fn same_shape(&self, a: &StructInfo, b: &StructInfo) -> bool {
        match (a.dims(), b.dims()) {
            (Some(a), Some(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.cx.analyzer.prove_equal(a, b))
            }
            _ => false,
        }
    }

    fn same_count(&self, a: &StructInfo, b: &StructInfo) -> bool {
        let count = |info: &StructInfo| {
            let dims = info.dims()?;
            Some(dims.iter().fold(scalar::Expr::i64(1), |count, dim| &count * dim))
        };
        count(a).zip(count(b)).is_some_and(|(a, b)| self.cx.analyzer.prove_equal(&a, &b))
    }

    /// Whether the binding works element by element, with operands repeated where they are smaller.
    pub(super) fn is_elementwise(&self, at: usize) -> bool {
        match self.call(at) {
            Some((Callee::Op(op), ..)) => op.properties.pure && op.properties.fusion <= Fusion::Broadcast,
            Some((Callee::Tir(function), args, attrs)) if TirCall::of(attrs).te_grad.is_none() => {
                let plain = |arg: &Expr| matches!(arg.struct_info, StructInfo::Tensor { .. } | StructInfo::Prim { .. });
                let function = self.module.prim(&function.name);
                args.iter().all(plain) && function.is_some_and(|f| op_pattern(f) <= OpPattern::Broadcast)
            }
            _ => false,
        }
    }

    /// Whether the binding only moves the elements of one tensor.
    fn moves(&self, at: usize) -> Option<&'b Expr> {
        let (op, args, _) = self.op(at)?;
        let mut tensors = args.iter().filter(|arg| matches!(arg.struct_info, StructInfo::Tensor { .. }));
        let (Some(moved), None) = (tensors.next(), tensors.next()) else { return None };
        let is_prim = |info: &StructInfo| matches!(info, StructInfo::Prim { .. });
        let others = args.iter().all(|arg| match &arg.struct_info {
            StructInfo::Tuple(fields) => fields.iter().all(is_prim),
            info => !matches!(info, StructInfo::Object),
        });
        let moves = op.properties.pure && op.properties.fusion == Fusion::Injective && others;
        (moves && moved.as_var().is_some()).then_some(moved)
    }

    /// Whether the binding keeps its elements in their order: it is a view.
    fn keeps_order(&self, at: usize) -> bool {
        let Some((op, args, attrs)) = self.op(at) else { return false };
        // Whether it is a view depends on no machine.
        let function = op.legalize.prim_func(&LegalizeCx::default(), &OpCall { op, args, attrs });
        function.is_ok_and(|function| has_reshape_pattern(&function))
    }

    /// The data movement of an operand, from the last operator backwards.
    fn movers(&self, operand: &'b Expr) -> Chain<'b> {
        let mut chain = Chain { found: Vec::new(), begin: operand };
        while let Some(at) = self.only_used_here(chain.begin)
            && chain.found.len() < MAX_CHAIN_OPS
            && let Some(moved) = self.moves(at)
        {
            chain.found.push(at);
            chain.begin = moved;
        }
        chain
    }

    /// The chain preceded by casts to wider elements or scaling by a constant, and by data movement before those.
    fn with_formulas(&self, mut chain: Chain<'b>) -> Chain<'b> {
        while let Some(at) = self.only_used_here(chain.begin)
            && chain.found.len() < MAX_CHAIN_OPS
            && let Some(operand) = self.widens(at).or_else(|| self.scales(at))
        {
            let before = self.movers(operand);
            chain.found.extend([vec![at], before.found].concat());
            chain.begin = before.begin;
        }
        chain
    }

    /// The operand that the binding casts to float32 from a narrower type.
    fn widens(&self, at: usize) -> Option<&'b Expr> {
        let (op, [narrow, ..], _) = self.op(at)? else { return None };
        let fits = sum_dtype(narrow) == Some(DataType::F32) && self.result(at).dtype() == Some(DataType::F32);
        (op == OpRef(&astype::OP) && fits && narrow.as_var().is_some()).then_some(narrow)
    }

    /// The operand that the binding multiplies or divides by a constant, in float32.
    fn scales(&self, at: usize) -> Option<&'b Expr> {
        let (op, [a, b], _) = self.op(at)? else { return None };
        let of = match number(b) {
            Some(_) if op == OpRef(&multiply::OP) || op == OpRef(&divide::OP) => a,
            None if op == OpRef(&multiply::OP) && number(a).is_some() => b,
            _ => return None,
        };
        (of.as_var().is_some() && self.result(at).dtype() == Some(DataType::F32)).then_some(of)
    }

    /// The chains together with the operator that splits one tensor into the parts at which they begin, if nothing else
    /// uses these.
    fn parts_of_one(&self, chains: &[Chain<'b>; 3]) -> Option<Vec<usize>> {
        let (mut members, mut parts, mut parted) = (Vec::new(), Vec::new(), None);
        for chain in chains {
            let part = self.only_used_here(chain.begin)?;
            let ExprKind::TupleGet { tuple, .. } = &bound_value(&self.bindings[part])?.kind else { return None };
            let whole = *self.index.get(&tuple.as_var()?.id())?;
            if parted.is_some_and(|parted| parted != whole) {
                return None;
            }
            parted = Some(whole);
            parts.push(part);
            members.extend(&chain.found);
        }
        let parted = parted?;
        let (op, args, _) = self.op(parted)?;
        let one = args.iter().filter(|arg| matches!(arg.struct_info, StructInfo::Tensor { .. })).count() == 1;
        let moves = op.properties.pure && op.properties.fusion == Fusion::Injective;
        parts.sort_unstable();
        let only = self.bindings[parted].var.dataflow && self.users[parted] == parts;
        members.extend(parts);
        members.push(parted);
        (one && moves && only).then_some(members)
    }

    /// The chains together with the data movement of the one tensor of which each takes a slice, if nothing else uses
    /// it.
    fn pieces_of_one(&self, chains: &[Chain<'b>; 3]) -> Option<Vec<usize>> {
        let [first, ..] = chains;
        let whole = self.bound(first.begin)?;
        let mut pieces = Vec::new();
        for chain in chains {
            (self.bound(chain.begin) == Some(whole)).then(|| pieces.extend(chain.found.last()))?;
        }
        pieces.sort_unstable();
        pieces.dedup();
        let only = self.bindings[whole].var.dataflow && self.users[whole] == pieces;
        let moved = self.moves(whole).filter(|_| only)?;
        let mut members: Vec<usize> = chains.iter().flat_map(|chain| chain.found.iter().copied()).collect();
        let before = self.movers(moved);
        self.without_views([vec![whole], before.found].concat(), &mut members);
        Some(members)
    }

    /// Adds the data movement of the result, up to the last operator that is no view.
    fn movers_after(&self, end: usize, members: &mut Vec<usize>) {
        let (mut at, mut found) = (end, Vec::new());
        while self.bindings[at].var.dataflow
            && found.len() < MAX_CHAIN_OPS
            && let [next] = self.users[at].as_slice()
            && (self.converts(*next)
                || self.moves(*next).is_some() && self.same_count(self.result(at), self.result(*next)))
        {
            found.push(*next);
            at = *next;
        }
        self.without_views(found, members);
    }

    /// Whether the binding gives each element another type.
    fn converts(&self, at: usize) -> bool {
        self.op(at).is_some_and(|(op, ..)| op == OpRef(&astype::OP))
    }

    /// Adds bindings but for the views at the end.
    fn without_views(&self, mut found: Vec<usize>, members: &mut Vec<usize>) {
        while found.last().is_some_and(|&last| self.keeps_order(last)) {
            found.pop();
        }
        members.append(&mut found);
    }
}

/// The bindings of an attention.
pub(super) struct Found {
    /// Those that become one, in order.
    pub(super) members: Vec<usize>,
    /// Those that are worked out there, too, in order.
    pub(super) copied: Vec<usize>,
}

/// The data movement of an operand.
struct Chain<'b> {
    /// From the last backwards.
    found: Vec<usize>,
    /// The source of the movement; the operand itself without any.
    begin: &'b Expr,
}

/// How values are weighted.
struct Weights<'b> {
    /// The bindings from the product to the shares.
    path: Vec<usize>,
    queries: &'b Expr,
    keys: &'b Expr,
}

/// The data type in which operators add up the operand's elements: narrow floats are added in float32.
fn sum_dtype(operand: &Expr) -> Option<DataType> {
    let dtype = operand.struct_info.dtype()?;
    let is_narrow = matches!(dtype, DataType::F16 | DataType::BF16);
    Some(if is_narrow { DataType::F32 } else { dtype })
}
