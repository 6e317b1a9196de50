//! `FuseOpsByPattern`: groups of bindings that match a pattern become functions.
//!
//! The patterns are tried in their order, each at every binding of every dataflow block; a binding is in at most one
//! match. A match becomes a private function with the attribute `Composite`, the pattern's name, and the last of its
//! bindings becomes a call of it. A match is skipped if a value inside it is used outside of it too: nothing is
//! computed twice. With `annotate_codegen` each such function is wrapped in one for the code generator that the
//! pattern's name before the first dot names.

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, Var,
};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, OrderedMap, Set, with_stack};

use crate::merge_composite_functions::for_codegen;
use crate::normalize::normalized;
use crate::outline::{CODEGEN, COMPOSITE, Constants, Outlined, PRIMITIVE, outlined};
use crate::pattern::{Matches, Pattern, match_expr};

/// Fuses matches of patterns.
#[derive(Clone, Debug, Default)]
pub struct FuseOpsByPattern {
    pub patterns: Vec<FusionPattern>,
    /// Whether constants become arguments of the functions.
    pub lift_constants: bool,
    /// Whether the functions are put into ones for their code generators.
    pub annotate_codegen: bool,
    /// The functions that are looked at; all, if none is named.
    pub entry_functions: Vec<String>,
}

/// A pattern with its name.
#[derive(Clone)]
pub struct FusionPattern {
    /// Such as `dnnl.matmul_relu`.
    pub name: String,
    pub pattern: Pattern,
    /// Patterns inside it that the check may ask for by name.
    pub annotations: Vec<(String, Pattern)>,
    pub check: Option<Check>,
}

/// Whether a match is to be fused.
pub type Check = Arc<dyn Fn(&PatternMatch) -> Result<bool, String> + Send + Sync>;

impl FusionPattern {
    pub fn new(name: impl Into<String>, pattern: &Pattern) -> Self {
        Self { name: name.into(), pattern: pattern.clone(), annotations: Vec::new(), check: None }
    }
}

impl fmt::Debug for FusionPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FusionPattern").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A match, as a check gets it.
#[derive(Clone, Debug)]
pub struct PatternMatch {
    /// The expression that the whole pattern matched.
    pub matched_expr: Expr,
    /// The expressions that the annotated patterns matched, if they are part of the match.
    pub annotated_expr: OrderedMap<String, Expr>,
    /// The bindings that would be fused.
    pub matched_bindings: OrderedMap<Var, Expr>,
    /// The users of each variable of the block.
    pub var_usages: OrderedMap<Var, Vec<Var>>,
}

pub(crate) const NAME: &str = "FuseOpsByPattern";

impl Pass for FuseOpsByPattern {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut fusing = Fusing { pass: self, module: module.clone() };
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            let named = self.entry_functions.is_empty() || self.entry_functions.iter().any(|entry| **entry == **name);
            if !named || [COMPOSITE, CODEGEN, PRIMITIVE].iter().any(|attr| function.attrs.contains_key(*attr)) {
                continue;
            }
            let function = normalized(function);
            let body = fusing.seq(&function.body);
            let body = body.map_err(|message| PassError::new(NAME, Diagnostic::error("TW0731", message)))?;
            fusing.module.insert(name.clone(), Function { body, ..function });
        }
        Ok(fusing.module)
    }
}

struct Fusing<'p> {
    pass: &'p FuseOpsByPattern,
    module: IRModule,
}

/// Bindings that become a function.
struct Group<'p> {
    pattern: &'p FusionPattern,
    /// The numbers of the bindings; the last one has the result.
    members: Vec<usize>,
}

impl<'p> Fusing<'p> {
    fn seq(&mut self, seq: &SeqExpr) -> Result<SeqExpr, String> {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let mut bindings = Vec::new();
            for binding in &block.bindings {
                bindings.push(self.inside(binding)?);
            }
            let block = BindingBlock { dataflow: block.dataflow, bindings };
            blocks.push(if block.dataflow { self.block(&block)? } else { block });
        }
        Ok(SeqExpr { blocks, result: seq.result.clone() })
    }

    /// The binding with the branches of its value fused.
    fn inside(&mut self, binding: &Binding) -> Result<Binding, String> {
        let BindingValue::Expr(value) = &binding.value else { return Ok(binding.clone()) };
        let ExprKind::If { condition, then, otherwise } = &value.kind else { return Ok(binding.clone()) };
        let (then, otherwise) = (with_stack(|| self.seq(then))?, with_stack(|| self.seq(otherwise))?);
        let kind = ExprKind::If { condition: condition.clone(), then, otherwise };
        let value = BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind));
        Ok(Binding { value, ..binding.clone() })
    }

    fn block(&mut self, block: &BindingBlock) -> Result<BindingBlock, String> {
        let groups = groups(self.pass, block)?;
        let mut ends: Map<usize, &Group<'_>> = Map::default();
        let mut inside: Set<usize> = Set::default();
        for group in &groups {
            inside.extend(&group.members);
            ends.extend(group.members.last().map(|last| (*last, group)));
        }
        let mut bindings = Vec::new();
        for (i, binding) in block.bindings.iter().enumerate() {
            match ends.get(&i) {
                Some(group) => bindings.push(self.fused(block, group)?),
                None if inside.contains(&i) => {}
                None => bindings.push(binding.clone()),
            }
        }
        Ok(BindingBlock { dataflow: true, bindings })
    }

    /// The binding of the group: a call of a function of its own.
    fn fused(&mut self, block: &BindingBlock, group: &Group<'p>) -> Result<Binding, String> {
        let members: Vec<Binding> = group.members.iter().map(|&i| block.bindings[i].clone()).collect();
        let Some(last) = members.last() else { return Err("a match without bindings".to_owned()) };
        let composite = (COMPOSITE.into(), Attr::str(group.pattern.name.as_str()));
        let attrs = Attrs::from([composite, (PRIMITIVE.into(), Attr::Bool(true))]);
        let constants = if self.pass.lift_constants { Constants::BecomeParameters } else { Constants::Stay };
        let Outlined { function, args } = outlined(&members, std::slice::from_ref(&last.var), attrs, constants);
        let name = members.iter().filter_map(|member| op_name(value_of(member))).collect::<Vec<_>>().join("_");
        let mut global = self.module.insert_unique(&format!("fused_{name}"), function);
        if self.pass.annotate_codegen {
            global = self.annotated(&global, &group.pattern.name, &args)?;
        }
        let call = Expr::call_value(&InferCx::default(), Expr::global(&global), args).map_err(|e| e.to_string())?;
        let origins = members.iter().fold(last.origins.clone(), |all, member| all.merge(&member.origins));
        Ok(Binding::new(last.var.clone(), call, origins))
    }

    /// The function for the code generator, which wraps the composite one.
    fn annotated(&mut self, composite: &GlobalVar, pattern: &str, args: &[Expr]) -> Result<GlobalVar, String> {
        let call = Expr::call_value(&InferCx::default(), Expr::global(composite), args.to_vec());
        let call = call.map_err(|error| error.to_string())?;
        let var = Var::dataflow("out", call.struct_info.clone());
        let binding = Binding::new(var.clone(), call, Default::default());
        let codegen = pattern.split('.').next().unwrap_or_default();
        let Outlined { function, .. } = for_codegen(&self.module, codegen, &[binding], &[var]);
        self.module.remove(&composite.name);
        let name = format!("{}_{codegen}", composite.name);
        let attrs = function.attrs.clone();
        let global = self.module.insert_unique(&name, function.clone());
        let symbol = (tilewright_ir::tir::attr_names::GLOBAL_SYMBOL.into(), Attr::str(global.name.clone()));
        let attrs = attrs.into_iter().chain([symbol]).collect();
        Ok(self.module.insert(global.name, Function { attrs, ..function }))
    }
}

/// The operator of a call as part of a name.
fn op_name(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), .. } => Some(format!("relax_{}", op.name.replace('.', "_"))),
        ExprKind::Call { callee: Callee::Tir(function), .. } => Some(function.name.to_string()),
        ExprKind::Call { callee: Callee::DpsPacked(name) | Callee::Packed(name), .. } => {
            Some(name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
        }
        _ => None,
    }
}

/// The matches of a block that are fused.
fn groups<'p>(pass: &'p FuseOpsByPattern, block: &BindingBlock) -> Result<Vec<Group<'p>>, String> {
    let index: Map<VarId, usize> = block.bindings.iter().enumerate().map(|(i, b)| (b.var.id(), i)).collect();
    let mut users: OrderedMap<Var, Vec<Var>> = OrderedMap::default();
    for binding in &block.bindings {
        let mut seen = Set::default();
        walk(value_of(binding), |var: &Var| {
            if seen.insert(var.id()) {
                users.entry(var.clone()).or_default().push(binding.var.clone());
            }
        });
    }
    let values = |var: &Var| match &block.bindings[*index.get(&var.id())?].value {
        BindingValue::Expr(value) => Some(value.clone()),
        BindingValue::MatchCast { .. } => None,
    };
    let mut taken: Set<usize> = Set::default();
    let mut groups = Vec::new();
    for pattern in &pass.patterns {
        for (i, binding) in block.bindings.iter().enumerate() {
            // What only renames a value is no match of its own.
            let computes = matches!(&binding.value, BindingValue::Expr(value) if value.as_var().is_none());
            if taken.contains(&i) || !computes {
                continue;
            }
            let Some(found) = match_expr(&pattern.pattern, &Expr::var(&binding.var), &values) else { continue };
            let members = members(&found, &index, i);
            let free = members.iter().all(|member| !taken.contains(member));
            if free && closed(block, &users, &members) && allowed(pattern, block, &found, &members, &users)? {
                taken.extend(&members);
                groups.push(Group { pattern, members });
            }
        }
    }
    Ok(groups)
}

/// The bindings that a match describes, in order.
fn members(found: &Matches, index: &Map<VarId, usize>, root: usize) -> Vec<usize> {
    let described = found.vars().filter(|(pattern, _)| pattern.matches_bound_value());
    let mut members: Vec<usize> = described.filter_map(|(_, var)| index.get(&var.id()).copied()).collect();
    members.push(root);
    members.sort_unstable();
    members.dedup();
    members
}

/// Whether only the last of the bindings is used outside of them.
fn closed(block: &BindingBlock, users: &OrderedMap<Var, Vec<Var>>, members: &[usize]) -> bool {
    let inside: Set<VarId> = members.iter().map(|&i| block.bindings[i].var.id()).collect();
    members.split_last().is_some_and(|(_, inner)| {
        inner.iter().all(|&i| {
            let var = &block.bindings[i].var;
            var.dataflow && users.get(var).is_none_or(|users| users.iter().all(|user| inside.contains(&user.id())))
        })
    })
}

fn allowed(
    pattern: &FusionPattern,
    block: &BindingBlock,
    found: &Matches,
    members: &[usize],
    users: &OrderedMap<Var, Vec<Var>>,
) -> Result<bool, String> {
    let Some(check) = &pattern.check else { return Ok(true) };
    let annotated =
        pattern.annotations.iter().filter_map(|(name, part)| Some((name.clone(), found.get(part)?.clone())));
    let bindings = members.iter().map(|&i| &block.bindings[i]);
    let last = members.last().map(|&i| value_of(&block.bindings[i]).clone());
    let Some(matched_expr) = last else { return Ok(false) };
    check(&PatternMatch {
        matched_expr,
        annotated_expr: annotated.collect(),
        matched_bindings: bindings.map(|binding| (binding.var.clone(), value_of(binding).clone())).collect(),
        var_usages: users.clone(),
    })
}
