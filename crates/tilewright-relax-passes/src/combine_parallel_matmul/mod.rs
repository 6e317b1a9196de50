//! `CombineParallelMatmul`: products of one left operand are computed as one.
//!
//! ```text
//! q = matmul(x, w0)              w = concat((w0, w1), axis=-1)
//! k = matmul(x, w1)      ⇒       p = matmul(x, w)
//!                                s = split(p, [columns of w0], axis=-1)
//!                                q = s[0]; k = s[1]
//! ```
//!
//! From any form to any form; dataflow blocks change, also those in branches and closures. The right operands have as
//! many dimensions, are equal in all but the last of them, and none is computed from another of the products. Where
//! every product is followed by the addition of a bias as wide as itself, the biases are joined too and added before
//! the split; and so is an element by element operator of one tensor that follows all of them. A width that is no
//! number is combined with those that are equal to it.
//!
//! With a check, the user decides: it gets the left operand, the right operands, the biases and the common operator,
//! and products that it refuses stay.

mod dependence;

use std::fmt;

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, HashCx};
use tilewright_ir::analysis::udchain;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, OpRef};
use tilewright_ir::pass::{Callback, CallbackValue, ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, Callee, Expr, ExprKind, StructInfo, TensorShape, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::binary::add;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{concat, split};
use tilewright_support::{Diagnostic, Map, OrderedMap, Origins, Set};
use tilewright_tensor::DataType;

use self::dependence::Dependence;
use crate::needs::{Grouped, Growing, with_groups};
use crate::normalize::normalized;
use crate::operand::Operand;
use crate::sequence::{bound_value, map_dataflow, map_functions};

/// Combines products that share their left operand.
#[derive(Clone, Default)]
pub struct CombineParallelMatmul {
    /// The check that may refuse a combination.
    pub check: Option<MatmulCheck>,
}

/// Whether the products are to be combined.
pub type MatmulCheck = std::sync::Arc<dyn Fn(&ParallelMatmul) -> Result<bool, String> + Send + Sync>;

/// Products of one left operand.
#[derive(Clone, Debug)]
pub struct ParallelMatmul {
    pub input: Expr,
    pub rhs: Vec<Expr>,
    /// As many as there are products, or none.
    pub bias: Vec<Expr>,
    /// The operator that follows all of them.
    pub activation: Option<OpRef>,
}

const NAME: &str = "CombineParallelMatmul";

impl CombineParallelMatmul {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Products of one left operand are computed as one.",
        params: &[ParamDef {
            name: "check",
            kind: ParamKind::OptionalCallback,
            default: AttrDefault::None,
            doc: "Whether to combine products: a function of the left operand, the list of right operands, the list of \
                  biases and a dict with `num_branches`, `bias_dim` and `activation`.",
        }],
        make: |args| {
            let check = args.callback("check").map(of_callback);
            Ok(std::sync::Arc::new(Self { check }))
        },
    };
}

fn of_callback(callback: Callback) -> MatmulCheck {
    std::sync::Arc::new(move |found| {
        let bias_dim = found.bias.first().and_then(|bias| bias.struct_info.rank());
        let branch = Attrs::from([
            ("activation".into(), found.activation.map_or(Attr::None, |op| Attr::str(format!("relax.{}", op.name)))),
            ("bias_dim".into(), bias_dim.map_or(Attr::None, |rank| Attr::Int(rank as i64))),
            ("num_branches".into(), Attr::Int(found.rhs.len() as i64)),
        ]);
        let answer = callback(&[
            CallbackValue::Expr(found.input.clone()),
            CallbackValue::Exprs(found.rhs.clone()),
            CallbackValue::Exprs(found.bias.clone()),
            CallbackValue::Data(Attr::Map(branch)),
        ])?;
        match answer {
            CallbackValue::Data(answer) => Ok(answer.is_true()),
            _ => Err("expected True or False from the check".to_owned()),
        }
    })
}

impl fmt::Debug for CombineParallelMatmul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl Pass for CombineParallelMatmul {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = map_dataflow(&function.body, &mut |bindings| {
                let groups = Block::of(&bindings).groups(self.check.as_ref());
                let groups = groups.unwrap_or_else(|message| {
                    diagnostics.push(Diagnostic::error("TW0731", format!("the check of `{NAME}` failed: {message}")));
                    Vec::new()
                });
                with_groups(bindings, groups)
            });
            function
        })
    }
}

/// A product, with what follows it.
#[derive(Clone, Copy)]
struct Branch<'b> {
    input: &'b Var,
    rhs: &'b Expr,
    /// The number of its binding.
    product: usize,
    /// The number of the binding that adds a bias, and the bias.
    bias: Option<(usize, &'b Expr)>,
    /// The number of the binding of an elementwise operator that follows.
    activation: Option<usize>,
}

impl Branch<'_> {
    /// The branch up to the first binding that is left out.
    fn without(mut self, is_out: impl Fn(usize) -> bool) -> Self {
        if self.bias.is_some_and(|(sum, _)| is_out(sum)) {
            (self.bias, self.activation) = (None, None);
        }
        self.activation = self.activation.filter(|&activation| !is_out(activation));
        self
    }

    fn members(&self) -> Vec<usize> {
        [Some(self.product), self.bias.map(|(sum, _)| sum), self.activation].into_iter().flatten().collect()
    }
}

/// Groups of bindings, and their replacements.
type Group = (Vec<usize>, Vec<Binding>);

struct Block<'b> {
    cx: InferCx,
    bindings: &'b [Binding],
    /// The only use of a variable that has one, and does not leave the block.
    only_use: Map<usize, usize>,
}

impl<'b> Block<'b> {
    fn of(bindings: &'b [Binding]) -> Self {
        let chain = udchain(&BindingBlock { dataflow: true, bindings: bindings.to_vec() });
        let index: Map<_, usize> = bindings.iter().enumerate().map(|(i, binding)| (binding.var.id(), i)).collect();
        let only_use =
            bindings.iter().enumerate().filter_map(|(i, binding)| match chain.users.get(&binding.var)?.as_slice() {
                [user] if binding.var.dataflow => Some((i, *index.get(&user.id())?)),
                _ => None,
            });
        Self { cx: InferCx::default(), bindings, only_use: only_use.collect() }
    }

    fn call(&self, at: usize) -> Option<(OpRef, &'b [Expr], &'b Attrs)> {
        match &bound_value(&self.bindings[at])?.kind {
            ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } => Some((*op, args, attrs)),
            _ => None,
        }
    }

    fn branch(&self, at: usize) -> Option<Branch<'b>> {
        let (op, args, _) = self.call(at)?;
        let [input, rhs] = args else { return None };
        let known = rhs.struct_info.dims().is_some_and(|dims| dims.len() >= 2);
        if op != OpRef(&matmul::OP) || !known || matches!(rhs.kind, ExprKind::Tuple(_)) {
            return None;
        }
        let bias = self.only_use.get(&at).and_then(|&sum| Some((sum, self.bias(at, sum, rhs)?)));
        let end = bias.map_or(at, |(sum, _)| sum);
        let activation = self.only_use.get(&end).copied().filter(|&next| self.is_activation(next));
        Some(Branch { input: input.as_var()?, rhs, product: at, bias, activation })
    }

    /// The bias that is added to the product, if it is as wide.
    fn bias(&self, product: usize, sum: usize, rhs: &Expr) -> Option<&'b Expr> {
        let (op, args, _) = self.call(sum)?;
        let [a, b] = args else { return None };
        let is_product = |operand: &Expr| operand.as_var() == Some(&self.bindings[product].var);
        let bias = match (is_product(a), is_product(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let (own, width) = (bias.struct_info.dims()?.last()?, rhs.struct_info.dims()?.last()?);
        // The sum of two products has no bias.
        let other = self.bindings.iter().position(|binding| bias.as_var() == Some(&binding.var));
        let is_product = other.and_then(|other| self.call(other)).is_some_and(|(op, ..)| op == OpRef(&matmul::OP));
        (op == OpRef(&add::OP) && !is_product && self.cx.analyzer.prove_equal(own, width)).then_some(bias)
    }

    fn is_activation(&self, at: usize) -> bool {
        let one_tensor = |args: &[Expr]| matches!(args, [one] if matches!(one.struct_info, StructInfo::Tensor { .. }));
        let tensor = matches!(self.bindings[at].var.struct_info, StructInfo::Tensor { .. });
        self.call(at).is_some_and(|(op, args, _)| {
            op.properties.pure && op.properties.fusion == Fusion::Elementwise && one_tensor(args) && tensor
        })
    }

    fn groups(&self, check: Option<&MatmulCheck>) -> Result<Vec<Group>, String> {
        let branches: Vec<Branch<'b>> = (0..self.bindings.len()).filter_map(|at| self.branch(at)).collect();
        let products: Vec<usize> = branches.iter().map(|branch| branch.product).collect();
        let dependence = Dependence::of(self.bindings, &products);
        let mut grouped = Grouped::of(self.bindings);
        let mut refused: Set<usize> = Set::default();
        let mut groups: Vec<Group> = Vec::new();
        for branches in self.kinds(&branches) {
            for (i, first) in branches.iter().enumerate() {
                let is_free = |branch: &Branch<'b>, grouped: &Grouped| {
                    !grouped.is_in_group(branch.product) && !refused.contains(&branch.product)
                };
                if !is_free(first, &grouped) {
                    continue;
                }
                let is_compatible =
                    |next: &&&Branch<'b>| is_free(next, &grouped) && !dependence.needs(next.product, first.product);
                let found = self.grown(first, branches[i + 1..].iter().filter(is_compatible).copied(), &grouped);
                if found.len() < 2 {
                    continue;
                }
                match self.combined(&found, check)? {
                    Some(group) => {
                        grouped.add(&group.0);
                        groups.push(group);
                    }
                    None => refused.extend(found.iter().map(|branch| branch.product)),
                }
            }
        }
        Ok(groups)
    }

    /// The branches grouped by the properties that combined products have in common.
    fn kinds<'a>(&self, branches: &'a [Branch<'b>]) -> Vec<Vec<&'a Branch<'b>>> {
        let mut kinds: OrderedMap<(&Var, [u64; 2]), Vec<Vec<&Branch<'b>>>> = OrderedMap::default();
        for branch in branches {
            let alike = kinds.entry((branch.input, self.kind(branch))).or_default();
            match alike.iter_mut().find(|kind| kind.first().is_some_and(|first| self.fits(first, branch))) {
                Some(kind) => kind.push(branch),
                None => alike.push(vec![branch]),
            }
        }
        kinds.into_values().flatten().collect()
    }

    /// The first of the branches, and the other branches that can be combined with it and with the existing groups.
    fn grown<'a>(
        &self,
        first: &'a Branch<'b>,
        others: impl Iterator<Item = &'a Branch<'b>>,
        grouped: &Grouped,
    ) -> Vec<Branch<'b>> {
        let mut others = others.peekable();
        if others.peek().is_none() {
            return Vec::new();
        }
        let mut growing = Growing::default();
        let mut operands: Map<Operand, Vec<&Expr>> = Map::default();
        let mut found = Vec::new();
        for next in std::iter::once(first).chain(others) {
            let known = operands.entry(Operand::of(next.rhs)).or_default();
            let next = next.without(|member| grouped.is_in_group(member));
            let another = known.iter().all(|known| EqCx::compare(*known, next.rhs).is_err());
            if another && growing.take(grouped, &next.members()) {
                known.push(next.rhs);
                found.push(next);
            }
        }
        found
    }

    /// A hash that products of one kind share: of what is equal in all of them.
    fn kind(&self, branch: &Branch<'b>) -> [u64; 2] {
        let info = &branch.rhs.struct_info;
        let (any_size, any_number) = (scalar::Expr::i64(-1), scalar::Expr::i64(-2));
        let mut dims: Vec<scalar::Expr> = info.dims().unwrap_or_default().to_vec();
        if let Some((width, others)) = dims.split_last_mut() {
            others.iter_mut().filter(|dim| dim.as_int().is_none()).for_each(|dim| *dim = any_size.clone());
            *width = if width.as_int().is_some() { any_number } else { self.cx.analyzer.simplify(width) };
        }
        let shape = TensorShape::Known(dims);
        let info = StructInfo::Tensor { shape, dtype: info.dtype(), vdevice: info.vdevice().cloned() };
        let attrs = self.call(branch.product).map_or(0, |(_, _, attrs)| HashCx::hash(attrs));
        [HashCx::hash(&info), attrs]
    }

    /// Whether two products of one left operand are of one kind: they can be computed as one, and that be split again.
    fn fits(&self, first: &Branch<'b>, next: &Branch<'b>) -> bool {
        let alike = |a: &Expr, b: &Expr| {
            let (Some([a @ .., wide]), Some([b @ .., other])) = (a.struct_info.dims(), b.struct_info.dims()) else {
                return false;
            };
            let numbers = wide.as_int().is_some() && other.as_int().is_some();
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| self.cx.analyzer.prove_equal(a, b))
                && (numbers || self.cx.analyzer.prove_equal(wide, other))
        };
        let same_attrs = || match (self.call(first.product), self.call(next.product)) {
            (Some((_, _, a)), Some((_, _, b))) => EqCx::compare(a, b).is_ok(),
            _ => false,
        };
        first.rhs.struct_info.dtype() == next.rhs.struct_info.dtype()
            && first.rhs.struct_info.vdevice() == next.rhs.struct_info.vdevice()
            && same_attrs()
            && alike(first.rhs, next.rhs)
    }

    /// The combined computation; `None` if the check refuses.
    fn combined(&self, found: &[Branch<'b>], check: Option<&MatmulCheck>) -> Result<Option<Group>, String> {
        let biases = self.common_biases(found);
        let activation = self.common_activation(found, !biases.is_empty());
        let asked = ParallelMatmul {
            input: Expr::var(found[0].input),
            rhs: found.iter().map(|branch| branch.rhs.clone()).collect(),
            bias: biases,
            activation: activation.map(|(op, _)| op),
        };
        if let Some(check) = check
            && !check(&asked)?
        {
            return Ok(None);
        }
        Ok(self.written(found, &asked, activation.map(|(_, attrs)| attrs)).ok().flatten())
    }

    /// The biases of all products, if all have one and they can be joined.
    fn common_biases(&self, found: &[Branch<'b>]) -> Vec<Expr> {
        let biases: Option<Vec<Expr>> = found.iter().map(|branch| Some(branch.bias?.1.clone())).collect();
        let biases = biases.unwrap_or_default();
        let Some((first, rest)) = biases.split_first() else { return biases };
        let alike = |bias: &Expr| {
            let (Some(a), Some(b)) = (first.struct_info.dims(), bias.struct_info.dims()) else { return false };
            let pairs = a.iter().zip(b).take(a.len() - 1);
            a.len() == b.len()
                && first.struct_info.dtype() == bias.struct_info.dtype()
                && pairs.into_iter().all(|(a, b)| self.cx.analyzer.prove_equal(a, b))
        };
        if rest.iter().all(alike) { biases } else { Vec::new() }
    }

    fn common_activation(&self, found: &[Branch<'b>], biased: bool) -> Option<(OpRef, &'b Attrs)> {
        let end = |branch: &Branch<'b>| branch.activation.filter(|_| branch.bias.is_some() == biased);
        let calls: Option<Vec<_>> = found.iter().map(|branch| self.call(end(branch)?)).collect();
        let calls = calls?;
        let (op, _, attrs) = calls.first()?;
        let same = calls.iter().all(|(other, _, with)| other == op && EqCx::compare(*with, *attrs).is_ok());
        same.then_some((*op, attrs))
    }

    fn written(
        &self,
        found: &[Branch<'b>],
        asked: &ParallelMatmul,
        activation: Option<&Attrs>,
    ) -> Result<Option<Group>, InferError> {
        let ends: Vec<usize> = found
            .iter()
            .map(|branch| match (asked.activation, branch.bias) {
                (Some(_), _) => branch.activation.unwrap_or(branch.product),
                (None, Some((sum, _))) if !asked.bias.is_empty() => sum,
                _ => branch.product,
            })
            .collect();
        let members: Vec<usize> = found
            .iter()
            .zip(&ends)
            .flat_map(|(branch, &end)| {
                let between = branch.bias.map(|(sum, _)| sum).filter(|&sum| sum < end);
                [Some(branch.product), between, (end != branch.product).then_some(end)].into_iter().flatten()
            })
            .collect();
        let origins = |members: &[usize]| {
            members.iter().fold(Origins::default(), |all, &member| all.merge(&self.bindings[member].origins))
        };
        let mut out = Written { bindings: Vec::new(), origins: origins(&members) };
        let last = |value: &Expr| value.struct_info.rank().and_then(|rank| i64::try_from(rank).ok()).unwrap_or(0) - 1;
        let columns = asked.rhs.first().map_or(-1, last);
        let rhs = out.bind(concat::call(&self.cx, Expr::tuple(asked.rhs.clone()), Some(columns))?);
        let out_dtype = match self.call(found[0].product).and_then(|(_, _, attrs)| attrs.get("out_dtype")) {
            Some(Attr::DType(dtype)) => *dtype,
            _ => DataType::VOID,
        };
        let product = self.bindings[found[0].product].var.struct_info.dtype();
        let out_dtype = if out_dtype.is_void() { product.unwrap_or(out_dtype) } else { out_dtype };
        let mut whole = out.bind(matmul::call(&self.cx, asked.input.clone(), rhs, out_dtype)?);
        if !asked.bias.is_empty() {
            let along = asked.bias.first().map_or(-1, last);
            let bias = out.bind(concat::call(&self.cx, Expr::tuple(asked.bias.clone()), Some(along))?);
            whole = out.bind(add::call(&self.cx, whole, bias)?);
        }
        if let (Some(op), Some(attrs)) = (asked.activation, activation) {
            whole = out.bind(Expr::call_op(&self.cx, op, vec![whole], attrs.clone())?);
        }
        let Some(parts) = self.parts(&asked.rhs) else { return Ok(None) };
        let along = last(&whole);
        let parts = out.bind(split::call(&self.cx, whole, parts, along)?);
        for (i, end) in ends.iter().enumerate() {
            let part = Expr::tuple_get(parts.clone(), i)?;
            let binding = &self.bindings[*end];
            if !part.struct_info.equal(&binding.var.struct_info) {
                return Ok(None);
            }
            out.bindings.push(Binding::new(binding.var.clone(), part, binding.origins.clone()));
        }
        Ok(Some((members, out.bindings)))
    }

    /// The split points of the columns: the ends of all but the last, or the number of equal parts.
    fn parts(&self, rhs: &[Expr]) -> Option<Attr> {
        let widths: Option<Vec<_>> = rhs.iter().map(|rhs| rhs.struct_info.dims()?.last().cloned()).collect();
        let widths = widths?;
        if widths.iter().any(|width| width.as_int().is_none()) {
            return Some(Attr::Int(rhs.len() as i64));
        }
        let numbers: Option<Vec<i64>> = widths.iter().map(|width| width.as_int()).collect();
        let mut end = 0_i64;
        let ends = numbers?.into_iter().map(|width| {
            end = end.checked_add(width)?;
            Some(Attr::Int(end))
        });
        let mut ends: Vec<Attr> = ends.collect::<Option<_>>()?;
        ends.pop();
        Some(Attr::Array(ends))
    }
}

/// Bindings under construction.
struct Written {
    bindings: Vec<Binding>,
    origins: Origins,
}

impl Written {
    fn bind(&mut self, value: Expr) -> Expr {
        let var = Var::dataflow("lv", value.struct_info.clone());
        self.bindings.push(Binding::new(var.clone(), value, self.origins.clone()));
        Expr::var(&var)
    }
}
