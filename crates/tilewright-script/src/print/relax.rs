//! Graph functions as text: signature, blocks of bindings, result.

use tilewright_expr::Var as ScalarVar;
use tilewright_expr::node::AnyHandle;
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var,
};
use tilewright_ir::tir::attr_names;
use tilewright_support::{Set, with_stack};

use super::buffers::SIZE;
use super::graph::is_statement;
use super::{Namespace, Printer, Touched};

/// The context of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A function of a module.
    Module,
    /// The value of a binding.
    Binding,
}

impl Printer<'_> {
    /// A whole function with its decorator, at the current indentation. `name` is written as it is.
    pub(super) fn function_def(&mut self, name: &str, function: &Function, context: Context) {
        self.marked(function, |p| p.function_text(name, function, context));
    }

    fn function_text(&mut self, name: &str, function: &Function, context: Context) {
        let level = std::mem::replace(&mut self.graph_level, true);
        self.decorator(function, context);
        self.names.open();
        self.touched.push(Touched::default());
        let hoisted = std::mem::take(&mut self.hoisted);
        self.doc.write(format_args!("def {name}"));
        let signature = std::mem::replace(&mut self.in_signature, true);
        self.list("(", &function.params, ")", |p, param| {
            let name = p.names.define(param.id(), &param.name);
            p.marked(param, |p| {
                p.doc.write(format_args!("{name}: "));
                p.info(&param.struct_info);
            });
        });
        self.doc.text(" -> ");
        self.info(&function.ret);
        self.doc.text(":");
        self.in_signature = false;

        let suite = self.doc.suite();
        let before = std::mem::replace(&mut self.doc, suite);
        self.sequence(&function.body);
        let body = std::mem::replace(&mut self.doc, before);
        self.doc.indent();
        self.prologue(name, function, context);
        self.doc.append(body);
        self.doc.dedent();
        self.in_signature = signature;
        self.hoisted = hoisted;
        self.names.close();
        self.graph_level = level;
    }

    fn decorator(&mut self, function: &Function, context: Context) {
        self.qualified_after("@", Namespace::Relax, "function");
        let mut options = Vec::new();
        if context == Context::Module && !function.attrs.contains_key(attr_names::GLOBAL_SYMBOL) {
            options.push("private=True");
        }
        if !function.pure {
            options.push("pure=False");
        } else if has_effects(&function.body) {
            options.push("force_pure=True");
        }
        if !options.is_empty() {
            self.doc.write(format_args!("({})", options.join(", ")));
        }
        self.doc.line();
    }

    /// The lines before the bindings: the symbolic dimensions that the body names, attributes, the module's name.
    fn prologue(&mut self, name: &str, function: &Function, context: Context) {
        for var in self.touched.pop().unwrap_or_default().vars {
            self.doc.line();
            let name = self.names.get(var.id()).unwrap_or_default().to_owned();
            self.doc.write(format_args!("{name} = "));
            self.qualified(Namespace::Tir, &var.dtype.to_string());
            self.doc.text(if var.size { SIZE } else { "()" });
        }
        let said = context == Context::Module && function.global_symbol() == Some(name);
        self.attrs_line(Namespace::Relax, "func_attr", &function.attrs, said.then_some(attr_names::GLOBAL_SYMBOL));
        if context == Context::Module && self.uses_module {
            if !self.options.module_alias.is_empty() {
                self.doc.line();
                self.doc.write(format_args!("{} = {}", self.options.module_alias, self.options.name));
            }
            self.uses_module = false;
        }
    }

    /// Notes that the body of the function that named this symbolic dimension mentions it. One that is a size is always
    /// declared there: the signature does not say so.
    pub(super) fn touch(&mut self, var: &ScalarVar) {
        let Some(frame) = self.depth_of.get(&var.id()).and_then(|depth| depth.checked_sub(1)) else { return };
        let own = frame + 1 == self.touched.len();
        if let Some(touched) = self.touched.get_mut(frame)
            && (var.size || !(own && self.in_signature))
        {
            touched.add(var);
        }
    }

    /// The name of a graph variable; one that nothing has bound is given a name here.
    pub(super) fn graph_name(&mut self, var: &Var) -> String {
        match self.names.get(var.id()) {
            Some(name) => name.to_owned(),
            None => self.names.define(var.id(), &var.name),
        }
    }

    pub(super) fn sequence(&mut self, body: &SeqExpr) {
        self.binding_blocks(&body.blocks);
        self.hoist(&body.result);
        self.doc.line();
        self.doc.text("return ");
        self.graph(&body.result);
    }

    pub(super) fn binding_blocks(&mut self, blocks: &[BindingBlock]) {
        for block in blocks {
            self.marked(block, |p| p.binding_block(block));
        }
    }

    fn binding_block(&mut self, block: &BindingBlock) {
        if !block.dataflow {
            return block.bindings.iter().for_each(|binding| self.binding(binding));
        }
        self.doc.line();
        self.doc.text("with ");
        self.qualified(Namespace::Relax, "dataflow");
        self.doc.text("():");
        self.doc.indent();
        block.bindings.iter().for_each(|binding| self.binding(binding));
        self.doc.line();
        let outputs: Vec<_> = block.bindings.iter().map(|b| &b.var).filter(|var| !var.dataflow).collect();
        self.qualified(Namespace::Relax, "output");
        self.list("(", &outputs, ")", |p, var| {
            let name = p.graph_name(var);
            p.doc.text(&name);
        });
        self.doc.dedent();
    }

    fn binding(&mut self, binding: &Binding) {
        // A variable is marked where it is bound, which is the whole of its binding.
        self.marked(&binding.var, |p| p.marked(binding, |p| p.binding_text(binding)));
    }

    fn binding_text(&mut self, binding: &Binding) {
        let name = self.graph_name(&binding.var);
        let info = &binding.var.struct_info;
        match &binding.value {
            BindingValue::Expr(value) => self.assign(&name, info, value),
            BindingValue::MatchCast { value, struct_info } => {
                self.hoist(value);
                self.annotated(&name, info);
                self.qualified(Namespace::Relax, "match_cast");
                self.doc.open("(");
                self.graph(value);
                self.doc.separator();
                self.info(struct_info);
                self.doc.close(")");
            }
        }
    }

    /// `name: info = `, on a new line.
    fn annotated(&mut self, name: &str, info: &StructInfo) {
        self.doc.line();
        self.doc.write(format_args!("{name}: "));
        self.info(info);
        self.doc.text(" = ");
    }

    /// Binds `name` to the value, by as many statements as it takes.
    fn assign(&mut self, name: &str, info: &StructInfo, value: &Expr) {
        with_stack(|| match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                self.hoist(condition);
                self.doc.line();
                self.doc.text("if ");
                self.graph(condition);
                self.doc.text(":");
                self.branch(name, info, then);
                self.doc.line();
                self.doc.text("else:");
                self.branch(name, info, otherwise);
            }
            ExprKind::Function(function) => {
                self.doc.line();
                self.function_def(name, function, Context::Binding);
            }
            _ => {
                self.hoist(value);
                let says = says_its_result(value) || !self.options.show_all_struct_info;
                if says && info.equal(&value.struct_info) {
                    self.doc.line();
                    self.doc.write(format_args!("{name} = "));
                } else {
                    self.annotated(name, info);
                }
                self.graph(value);
            }
        });
    }

    fn branch(&mut self, name: &str, info: &StructInfo, branch: &SeqExpr) {
        self.doc.indent();
        self.binding_blocks(&branch.blocks);
        self.assign(name, info, &branch.result);
        self.doc.dedent();
    }

    /// Binds the parts of an operand that are statements of Python to names of their own.
    fn hoist(&mut self, expr: &Expr) {
        let parts = if is_statement(expr) { vec![expr.clone()] } else { Self::statements_in(expr) };
        for part in parts {
            let name = self.names.fresh("v");
            self.assign(&name, &part.struct_info.clone(), &part);
            self.hoisted.insert(part.address(), name);
        }
    }
}

/// Whether a call in the body has side effects by itself, if only on memory that the function has allocated.
fn has_effects(body: &SeqExpr) -> bool {
    Effects::default().are_in(body)
}

/// Looks for calls with side effects. It looks at nothing else: this is a second walk over a body that is printed
/// anyway.
#[derive(Default)]
struct Effects {
    /// The addresses of shared nodes that were looked into.
    seen: Set<usize>,
}

impl Effects {
    fn are_in(&mut self, body: &SeqExpr) -> bool {
        let mut bindings = body.blocks.iter().flat_map(|block| &block.bindings);
        bindings.any(|binding| match &binding.value {
            BindingValue::Expr(value) | BindingValue::MatchCast { value, .. } => self.are_of(value),
        }) || self.are_of(&body.result)
    }

    fn are_of(&mut self, expr: &Expr) -> bool {
        let (first, parts) = match &expr.kind {
            ExprKind::Call { .. } if !expr.is_pure() => return true,
            ExprKind::Call { callee: Callee::Value(function), args, .. } => (Some(function), args.as_slice()),
            ExprKind::Call { args, .. } => (None, args.as_slice()),
            ExprKind::Tuple(fields) => (None, fields.as_slice()),
            ExprKind::TupleGet { tuple, .. } => (Some(tuple), [].as_slice()),
            ExprKind::If { condition, .. } => (Some(condition), [].as_slice()),
            // Effects of a closure occur where it is called.
            ExprKind::Function(_)
            | ExprKind::Var(_)
            | ExprKind::GlobalVar(_)
            | ExprKind::ExternFunc(_)
            | ExprKind::Constant(_)
            | ExprKind::Shape(_)
            | ExprKind::Prim(_)
            | ExprKind::Str(_)
            | ExprKind::DType(_) => return false,
        };
        if expr.is_shared() && !self.seen.insert(expr.address()) {
            return false;
        }
        with_stack(|| {
            let branches = match &expr.kind {
                ExprKind::If { then, otherwise, .. } => self.are_in(then) || self.are_in(otherwise),
                _ => false,
            };
            branches || first.into_iter().chain(parts).any(|part| self.are_of(part))
        })
    }
}

/// Whether the value itself says its struct info, so that its binding is written without one.
fn says_its_result(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Call { callee: Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_), .. }
    )
}
