//! `FuseOps`: calls of PrimFuncs that may be computed together become one function.
//!
//! In each dataflow block, calls of PrimFuncs are put into groups by their annotation `op_pattern` (see `partition` for
//! the rules, and `graph` for their input). A group of several calls becomes a private function with the attribute
//! `Primitive`, named after its callees, and the last of its bindings becomes a call of it; equal functions are one.
//! With `fuse_dequantize` a product whose matrix is dequantised, made of narrower integers, computes it
//! itself: the floats are never in memory all at once. Constants become arguments. Unannotated functions, other calls,
//! checks and effects stay where they are. A group has one result, and nothing else of it is used outside: nothing is
//! computed twice.

mod graph;
mod partition;

use std::fmt::Write as _;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::op::{AttrDefault, AttrKind, InferCx, InferError};
use tilewright_ir::pass::{OptionDef, ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, Callee, Expr, ExprKind, Function, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_support::{Map, Origins, Set};

use crate::normalize::normalized;
use crate::outline::{CODEGEN, COMPOSITE, Constants, Made, Outlined, PRIMITIVE, outlined};
use crate::sequence::{defect, map_blocks};
use graph::Graph;

/// Puts calls of PrimFuncs that may be computed together into functions of their own.
#[derive(Clone, Copy, Debug)]
pub struct FuseOps {
    /// 0: nothing is fused. Below 0: as the context's level says.
    pub fuse_opt_level: i64,
    /// Whether products compute their operands of narrower integers, as quantised weights are, themselves.
    pub fuse_dequantize: bool,
}

impl Default for FuseOps {
    fn default() -> Self {
        Self { fuse_opt_level: -1, fuse_dequantize: false }
    }
}

const NAME: &str = "FuseOps";
const MAX_DEPTH: &str = "relax.FuseOps.max_depth";
/// The default limit of bindings of one function.
const DEFAULT_MAX_BINDINGS: i64 = 256;
/// The approximate limit of the length of a function's name.
const MAX_NAME_BYTES: usize = 100;

impl FuseOps {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Calls of PrimFuncs that may be computed together become one function.",
        params: &[
            ParamDef {
                name: "fuse_opt_level",
                kind: ParamKind::Int,
                default: AttrDefault::Int(-1),
                doc: "0: nothing is fused; -1: as the level of the context says.",
            },
            ParamDef {
                name: "fuse_dequantize",
                kind: ParamKind::Bool,
                default: AttrDefault::Bool(false),
                doc: "Whether products dequantise their operands themselves.",
            },
        ],
        make: |args| {
            let (fuse_opt_level, fuse_dequantize) = (args.int("fuse_opt_level"), args.flag("fuse_dequantize"));
            Ok(std::sync::Arc::new(Self { fuse_opt_level, fuse_dequantize }))
        },
    };
}

impl Pass for FuseOps {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn options(&self) -> &'static [OptionDef] {
        &[OptionDef {
            name: MAX_DEPTH,
            kind: AttrKind::Int,
            doc: "The maximum number of bindings that become one function; 256 by default.",
        }]
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let level = if self.fuse_opt_level < 0 { i64::from(cx.opt_level) } else { self.fuse_opt_level };
        if level == 0 {
            return Ok(module);
        }
        let max_bindings = cx.option(MAX_DEPTH).and_then(Attr::as_int).unwrap_or(DEFAULT_MAX_BINDINGS);
        let max_bindings = usize::try_from(max_bindings).unwrap_or(0);
        let fuse_dequantize = self.fuse_dequantize;
        let mut fusing = Fusing {
            max_bindings,
            fuse_dequantize,
            cx: InferCx::default(),
            module: module.clone(),
            made: Made::default(),
        };
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            if [COMPOSITE, CODEGEN, PRIMITIVE].iter().any(|attr| function.attrs.contains_key(*attr)) {
                continue;
            }
            let function = normalized(function);
            let mut failed = None;
            let body = map_blocks(&function.body, &mut |block| {
                let fused = if block.dataflow { fusing.block(&block) } else { Ok(block.clone()) };
                vec![fused.unwrap_or_else(|error| {
                    failed = Some(error);
                    block
                })]
            });
            if let Some(error) = failed {
                return Err(PassError::new(NAME, defect(&error)));
            }
            fusing.module.insert(name.clone(), Function { body, ..function });
        }
        Ok(fusing.module)
    }
}

struct Fusing {
    max_bindings: usize,
    fuse_dequantize: bool,
    cx: InferCx,
    module: IRModule,
    made: Made,
}

impl Fusing {
    fn block(&mut self, block: &BindingBlock) -> Result<BindingBlock, InferError> {
        let graph = Graph::of(&self.module, &block.bindings);
        let mut ends: Map<usize, Vec<usize>> = Map::default();
        let mut inside: Set<usize> = Set::default();
        for group in partition::groups(&graph, self.max_bindings, self.fuse_dequantize) {
            let group = without_fields_from_outside(&block.bindings, group);
            if let Some(&last) = group.last()
                && makes_its_result(&block.bindings, &group, last)
            {
                inside.extend(&group);
                ends.insert(last, group);
            }
        }
        let mut bindings = Vec::new();
        for (i, binding) in block.bindings.iter().enumerate() {
            match ends.get(&i) {
                Some(group) => bindings.push(self.fused(&block.bindings, group, binding)?),
                None if inside.contains(&i) => {}
                None => bindings.push(binding.clone()),
            }
        }
        Ok(BindingBlock { dataflow: true, bindings })
    }

    /// The binding of the group: a call of a function of its own.
    fn fused(&mut self, bindings: &[Binding], group: &[usize], last: &Binding) -> Result<Binding, InferError> {
        let members: Vec<Binding> = group.iter().map(|&i| bindings[i].clone()).collect();
        let attrs = Attrs::from([(PRIMITIVE.into(), Attr::Int(1))]);
        let outputs = std::slice::from_ref(&last.var);
        let Outlined { function, args } = outlined(&members, outputs, attrs, Constants::BecomeParameters);
        let origins = members.iter().fold(Origins::default(), |all, member| all.merge(&member.origins));
        let global = self.made.share(&mut self.module, &name_of(&members), function);
        let call = Expr::call_value(&self.cx, Expr::global(&global), args)?;
        Ok(Binding::new(last.var.clone(), call, origins))
    }
}

/// The group without fields of tuples that are made outside it, and without tuples of values from outside: these become
/// arguments.
fn without_fields_from_outside(bindings: &[Binding], group: Vec<usize>) -> Vec<usize> {
    let mut inside: Set<VarId> = Set::default();
    let mut kept = Vec::new();
    for i in group {
        let value = value_of(&bindings[i]);
        let mut fed = !matches!(value.kind, ExprKind::TupleGet { .. } | ExprKind::Tuple(_));
        walk(&bindings[i].value, |var: &Var| fed |= inside.contains(&var.id()));
        if fed {
            inside.insert(bindings[i].var.id());
            kept.push(i);
        }
    }
    kept
}

/// Whether a call in the group makes the result; it may also be a field of a tuple that only passes through.
fn makes_its_result(bindings: &[Binding], group: &[usize], last: usize) -> bool {
    let inside: Map<VarId, usize> = group.iter().map(|&i| (bindings[i].var.id(), i)).collect();
    let (mut at, mut fields) = (Some(last), Vec::new());
    while let Some(i) = at {
        let operand = match &value_of(&bindings[i]).kind {
            ExprKind::TupleGet { tuple, index } => {
                fields.push(*index);
                Some(tuple)
            }
            ExprKind::Tuple(all) => fields.pop().and_then(|index| all.get(index)),
            _ => return true,
        };
        at = operand.and_then(Expr::as_var).and_then(|var| inside.get(&var.id()).copied());
    }
    false
}

/// `fused_` and the names of the callees.
fn name_of(members: &[Binding]) -> String {
    let called = |member: &Binding| match &value_of(member).kind {
        ExprKind::Call { callee: Callee::Tir(function) | Callee::TirInplace { function, .. }, .. } => {
            Some(function.name.clone())
        }
        _ => None,
    };
    let names: Vec<_> = members.iter().filter_map(called).collect();
    let mut all = "fused".to_owned();
    for (i, name) in names.iter().enumerate() {
        if all.len() + name.len() > MAX_NAME_BYTES && i > 0 {
            // Writing to a string cannot fail.
            let _ = write!(all, "_and_{}_more", names.len() - i);
            break;
        }
        all.push('_');
        all.push_str(name);
    }
    all
}
