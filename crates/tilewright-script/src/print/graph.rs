//! Graph expressions and struct infos as text.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{AnyHandle, walk_some};
use tilewright_ir::calls::{names, takes_context};
use tilewright_ir::op::{ArgKind, AttrKind, OpRef, is_said_pure};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo, TensorShape, VDevice};
use tilewright_ir::{Attr, Attrs, GlobalInfo};
use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Tensor, TypeCode, bf16, f16};

use super::scalar::{float_digits, quoted};
use super::share::{Sharing, shared_nodes};
use super::{Namespace, Printer};

/// The kinds of items between the parentheses of a call.
enum Item<'e> {
    Arg(&'e Expr),
    Absent,
    Args(&'e [Expr]),
    Name(&'e str),
    Callee(&'e str),
    Attr(&'e str, Option<AttrKind>, &'e Attr),
    /// A shape of scalars, by name.
    Scalars(&'e str, &'e [Attr]),
    /// One info alone, several as a list.
    Out(&'e [StructInfo]),
    SinfoArgs(&'e [StructInfo]),
}

impl<'e> Item<'e> {
    /// The keyword arguments of a call of no operator.
    fn call_attr(name: &'e str, value: &'e Attr) -> Self {
        match value {
            Attr::Array(vars) if name == names::TIR_VARS => Self::Scalars(name, vars),
            value => Self::Attr(name, None, value),
        }
    }
}

impl Printer<'_> {
    /// A whole expression; what is no expression of Python in it has a name already.
    pub(super) fn graph(&mut self, expr: &Expr) {
        let shared = shared_nodes(expr, Sharing { closed: is_statement, once: |_| false });
        let outer = (std::mem::replace(&mut self.shared, shared), std::mem::take(&mut self.shared_names));
        self.graph_expr(expr);
        (self.shared, self.shared_names) = outer;
    }

    fn graph_expr(&mut self, expr: &Expr) {
        if let Some(name) = self.hoisted.get(&expr.address()).or_else(|| self.shared_names.get(&expr.address())) {
            let name = name.clone();
            return self.marked(expr, |p| p.doc.text(&name));
        }
        if !self.shared.contains(&expr.address()) {
            return with_stack(|| self.marked(expr, |p| p.graph_kind(expr)));
        }
        let name = self.names.fresh("s");
        self.doc.write(format_args!("({name} := "));
        with_stack(|| self.marked(expr, |p| p.graph_kind(expr)));
        self.doc.text(")");
        self.shared_names.insert(expr.address(), name);
    }

    fn graph_kind(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => {
                let name = self.graph_name(var);
                self.doc.text(&name);
            }
            ExprKind::GlobalVar(global) => self.global(&global.name),
            ExprKind::ExternFunc(name) => self.relax_call("ExternFunc", &[Item::Name(name)]),
            ExprKind::Constant(constant) => self.constant(&constant.0),
            ExprKind::Call { callee, args, attrs, sinfo_args } => self.graph_call(callee, args, attrs, sinfo_args),
            ExprKind::Tuple(fields) if fields.is_empty() => self.relax_call("tuple", &[]),
            ExprKind::Tuple(fields) => self.tuple(fields, |p, field| p.graph_expr(field)),
            ExprKind::TupleGet { tuple, index } => {
                self.graph_expr(tuple);
                self.doc.write(format_args!("[{index}]"));
            }
            ExprKind::Shape(dims) => {
                self.qualified(Namespace::Relax, "shape");
                self.doc.open("(");
                self.list("[", dims, "]", |p, dim| p.dim(dim));
                self.doc.close(")");
            }
            ExprKind::Prim(value) => {
                self.qualified(Namespace::Relax, "prim_value");
                self.doc.open("(");
                self.dim(value);
                self.doc.close(")");
            }
            ExprKind::Str(text) => self.relax_call("str", &[Item::Name(text)]),
            ExprKind::DType(dtype) => self.relax_call("dtype", &[Item::Name(&dtype.to_string())]),
            // Both have names where they are met: only a single node that is printed for a message comes here.
            ExprKind::If { condition, then, otherwise } => {
                self.doc.text("(");
                self.graph_expr(&then.result);
                self.doc.text(" if ");
                self.graph_expr(condition);
                self.doc.text(" else ");
                self.graph_expr(&otherwise.result);
                self.doc.text(")");
            }
            ExprKind::Function(function) => self.info(&function.signature()),
        }
    }

    /// A function of the module.
    fn global(&mut self, name: &str) {
        let text = self.function_name(name);
        if self.itself == Some(name) || self.without_module {
            return self.doc.text(&text);
        }
        self.uses_module = true;
        let module = if self.options.module_alias.is_empty() { &self.options.name } else { &self.options.module_alias };
        self.doc.write(format_args!("{module}.{text}"));
    }

    fn relax_call(&mut self, name: &str, items: &[Item<'_>]) {
        self.qualified(Namespace::Relax, name);
        self.list("(", items, ")", Self::item);
    }

    fn graph_call(&mut self, callee: &Callee, args: &[Expr], attrs: &Attrs, sinfo_args: &[StructInfo]) {
        match callee {
            Callee::Op(op) => {
                let mut items = op_items(*op, args, attrs);
                if !sinfo_args.is_empty() {
                    items.push(Item::SinfoArgs(sinfo_args));
                }
                self.relax_call(op.name, &items);
            }
            Callee::Tir(global) => {
                let mut items = vec![Item::Callee(&global.name), Item::Args(args), Item::Out(sinfo_args)];
                let grad = attrs.contains_key(names::TE_GRAD_NAME);
                let said = attrs.iter().filter(|(_, value)| !matches!(value, Attr::Map(kwargs) if kwargs.is_empty()));
                items.extend(said.map(|(name, value)| Item::call_attr(name, value)));
                self.relax_call(if grad { "call_tir_with_grad" } else { "call_tir" }, &items);
            }
            Callee::TirInplace { function, results } => {
                let number = |argument: &Option<usize>| Attr::Int(argument.map_or(-1, |argument| argument as i64));
                let inplace = Attr::Array(results.iter().map(number).collect());
                let (name, inplace) = (&function.name, Item::Attr("inplace_indices", Some(AttrKind::Ints), &inplace));
                let mut items = vec![Item::Callee(name), Item::Args(args), inplace, Item::Out(sinfo_args)];
                items.extend(attrs.iter().map(|(name, value)| Item::call_attr(name, value)));
                self.relax_call("call_tir_inplace", &items);
            }
            Callee::DpsPacked(name) => {
                self.relax_call("call_dps_packed", &[Item::Name(name), Item::Args(args), Item::Out(sinfo_args)]);
            }
            Callee::Packed(name) if takes_context(attrs) => {
                let mut items = vec![Item::Name(name), Item::Args(args)];
                if !sinfo_args.is_empty() {
                    items.push(Item::SinfoArgs(sinfo_args));
                }
                self.relax_call("call_builtin_with_ctx", &items);
            }
            Callee::Packed(name) => {
                let mut items = vec![Item::Name(name)];
                items.extend(args.iter().map(Item::Arg));
                let inplace = attrs.get(names::INPLACE_INDICES);
                items.extend(inplace.map(|inplace| Item::call_attr(names::INPLACE_INDICES, inplace)));
                if !sinfo_args.is_empty() {
                    items.push(Item::SinfoArgs(sinfo_args));
                }
                let function = match inplace {
                    Some(_) => "call_inplace_packed",
                    None if is_said_pure(attrs) => "call_pure_packed",
                    None => "call_packed",
                };
                self.relax_call(function, &items);
            }
            Callee::Value(callee) if !sinfo_args.is_empty() => {
                let name = if is_said_pure(attrs) { "invoke_pure_closure" } else { "invoke_closure" };
                self.relax_call(name, &[Item::Arg(callee), Item::Args(args), Item::SinfoArgs(sinfo_args)]);
            }
            Callee::Value(callee) => {
                self.graph_expr(callee);
                self.list("(", args, ")", |p, arg| p.graph_expr(arg));
            }
        }
    }

    fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Arg(arg) => self.graph_expr(arg),
            Item::Absent => self.doc.text("None"),
            Item::Args(args) => match args {
                [] => self.doc.text("()"),
                args => self.tuple(args, |p, arg| p.graph_expr(arg)),
            },
            Item::Name(name) => self.doc.text(&quoted(name)),
            Item::Callee(name) => self.global(name),
            Item::Attr(name, Some(AttrKind::VDevice), value) if let Some(device) = VDevice::of_attr(value) => {
                let text = self.vdevice_text(&device);
                self.doc.write(format_args!("{name}={text}"));
            }
            Item::Attr(name, kind, value) => self.op_attr(name, *kind, value),
            Item::Scalars(name, values) => {
                self.doc.write(format_args!("{name}="));
                let is_dimension = |value: &Attr| match value {
                    Attr::Expr(value) => value.dtype == DataType::I64,
                    value => matches!(value, Attr::Int(_)),
                };
                let (name, open, close) = match values.iter().all(is_dimension) {
                    true => ("shape", "([", "])"),
                    false => ("tir_vars", "(", ")"),
                };
                self.qualified(Namespace::Relax, name);
                self.list(open, values, close, |p, value| match value {
                    Attr::Expr(value) => p.scalar(value),
                    value => p.attr(Namespace::Relax, value),
                });
            }
            Item::Out(infos) => {
                self.doc.text("out_sinfo=");
                match infos {
                    [one] => self.info(one),
                    infos => self.list("[", infos, "]", Self::info),
                }
            }
            Item::SinfoArgs(infos) => {
                self.doc.text("sinfo_args=");
                self.tuple(infos, Self::info);
            }
        }
    }

    /// A constant by its value where that is short, else by its index in the metadata.
    fn constant(&mut self, tensor: &Tensor) {
        if let Some(digits) = scalar_digits(tensor) {
            self.qualified(Namespace::Relax, "const");
            return self.doc.write(format_args!("({digits}, \"{}\")", tensor.dtype()));
        }
        self.metadata_entry(tensor);
    }

    /// A tensor by its index in the metadata.
    pub(super) fn metadata_entry(&mut self, tensor: &Tensor) {
        let index = self.constants.index_of(tensor);
        self.doc.write(format_args!("metadata[\"{}\"][{index}]", crate::spelling::metadata::CONSTANTS));
    }

    /// A dimension, or another scalar of a graph; in a signature a text unless it is a constant.
    fn dim(&mut self, dim: &scalar::Expr) {
        if !self.in_signature || !mentions_variables(dim) {
            return self.scalar(dim);
        }
        let before = std::mem::take(&mut self.doc);
        self.scalar(dim);
        let text = std::mem::replace(&mut self.doc, before).render(None, 0);
        // Texts within the text have the other quotes: an expression inside has no escapes.
        let plain = !text.contains(['\'', '\\']);
        let text = if plain { text.replace('"', "'") } else { text };
        self.doc.text(&quoted(text.trim_end()));
    }

    pub(super) fn info(&mut self, info: &StructInfo) {
        with_stack(|| self.marked(info, |p| p.info_kind(info)));
    }

    fn info_kind(&mut self, info: &StructInfo) {
        match info {
            StructInfo::Object => self.qualified(Namespace::Relax, "Object"),
            StructInfo::Prim { dtype, value: None } => self.relax_call("Prim", &[Item::Name(&dtype.to_string())]),
            StructInfo::Prim { value: Some(value), .. } => {
                self.qualified(Namespace::Relax, "Prim");
                self.doc.open("(");
                self.doc.text("value=");
                self.dim(value);
                self.doc.close(")");
            }
            StructInfo::Shape(shape) => self.shape_info(shape),
            StructInfo::Tensor { shape, dtype, vdevice } => self.tensor_info(shape, *dtype, vdevice.as_ref()),
            StructInfo::Tuple(fields) => {
                self.qualified(Namespace::Relax, "Tuple");
                self.list("(", fields, ")", Self::info);
            }
            StructInfo::Func { params, ret, pure } => {
                self.qualified(Namespace::Relax, "Callable");
                self.doc.open("(");
                let pure = if *pure { "True" } else { "False" };
                match params {
                    Some(params) => {
                        self.tuple(params, Self::info);
                        self.doc.separator();
                        self.info(ret);
                        self.doc.separator();
                        self.doc.text(pure);
                    }
                    None => {
                        self.doc.text("ret=");
                        self.info(ret);
                        self.doc.separator();
                        self.doc.write(format_args!("purity={pure}"));
                    }
                }
                self.doc.close(")");
            }
        }
    }

    fn shape_info(&mut self, shape: &TensorShape) {
        self.qualified(Namespace::Relax, "Shape");
        match shape {
            TensorShape::Known(dims) => {
                self.doc.open("(");
                self.list("[", dims, "]", |p, dim| p.dim(dim));
                self.doc.close(")");
            }
            TensorShape::Rank(rank) => self.doc.write(format_args!("(ndim={rank})")),
            TensorShape::Unknown => self.doc.text("()"),
        }
    }

    fn tensor_info(&mut self, shape: &TensorShape, dtype: Option<DataType>, vdevice: Option<&VDevice>) {
        self.qualified(Namespace::Relax, "Tensor");
        let dtype = dtype.map(|dtype| format!("dtype=\"{dtype}\""));
        let rank = match shape {
            TensorShape::Rank(rank) => Some(format!("ndim={rank}")),
            _ => None,
        };
        let dims = match shape {
            TensorShape::Known(dims) => Some(dims),
            _ => None,
        };
        let vdevice = vdevice.map(|vdevice| format!("vdevice={}", self.vdevice_text(vdevice)));
        let rest: Vec<String> = dtype.into_iter().chain(vdevice).chain(rank).collect();
        let Some(dims) = dims else { return self.list("(", &rest, ")", |p, text| p.doc.text(text)) };
        self.doc.open("(");
        self.tuple(dims, |p, dim| p.dim(dim));
        for text in rest {
            self.doc.separator();
            self.doc.text(&text);
        }
        self.doc.close(")");
    }

    /// A device by the name that the module gives it, or written out.
    fn vdevice_text(&mut self, vdevice: &VDevice) -> String {
        match self.devices.iter().find(|(known, _)| known == vdevice) {
            Some((_, name)) => quoted(name),
            None => {
                self.used[Namespace::Module as usize] = true;
                vdevice_text(vdevice, &self.options.prefixes.ir)
            }
        }
    }

    /// `I.module_global_infos({…})`, if the module says something.
    pub(super) fn global_infos(&mut self, infos: &BTreeMap<Arc<str>, Vec<GlobalInfo>>) {
        if infos.is_empty() {
            return;
        }
        self.doc.line();
        self.qualified(Namespace::Module, "module_global_infos");
        self.doc.open("(");
        let lists: Vec<_> = infos.iter().collect();
        self.list("{", &lists, "}", |p, (name, list)| {
            p.doc.write(format_args!("{}: ", quoted(name)));
            p.list("[", list, "]", |p, info| match info {
                GlobalInfo::VDevice(device) => p.doc.text(&vdevice_text(device, &p.options.prefixes.ir)),
                GlobalInfo::Dummy => {
                    p.qualified(Namespace::Module, "dummy_global_info");
                    p.doc.text("()");
                }
            });
        });
        self.doc.close(")");
    }

    /// The outermost parts of an expression that are statements of Python, in order.
    pub(super) fn statements_in(expr: &Expr) -> Vec<Expr> {
        let mut found = Vec::new();
        walk_some(&**expr, |node| match node.downcast::<Expr>() {
            Some(part) if is_statement(part) => {
                found.push(part.clone());
                false
            }
            Some(_) => true,
            None => false,
        });
        found
    }
}

fn mentions_variables(dim: &scalar::Expr) -> bool {
    let mut found = dim.as_var().is_some();
    if !found {
        tilewright_expr::node::walk(&**dim, |_: &scalar::Var| found = true);
    }
    found
}

/// Whether the expression is written as statements of Python.
pub(super) fn is_statement(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::If { .. } | ExprKind::Function(_))
}

fn op_items<'e>(op: OpRef, args: &'e [Expr], attrs: &'e Attrs) -> Vec<Item<'e>> {
    let mut items = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let kind = op.args.get(i).map(|def| def.kind);
        let optional = kind.is_some_and(|kind| kind.is_optional() && kind != ArgKind::Values);
        let absent = optional && matches!(&arg.kind, ExprKind::Tuple(fields) if fields.is_empty());
        items.push(if absent { Item::Absent } else { Item::Arg(arg) });
    }
    for def in op.attrs {
        if let Some(value) = attrs.get(def.name) {
            items.push(Item::Attr(def.name, Some(def.kind), value));
        }
    }
    let undeclared = attrs.iter().filter(|(name, _)| op.attrs.iter().all(|def| def.name != &***name));
    items.extend(undeclared.map(|(name, value)| Item::Attr(name, None, value)));
    items
}

fn vdevice_text(VDevice { target, id, memory_scope }: &VDevice, prefix: &str) -> String {
    format!("{prefix}.vdevice({}, {id}, {})", quoted(target), quoted(memory_scope))
}

/// The value of a finite constant without dimensions, as a literal of Python.
fn scalar_digits(tensor: &Tensor) -> Option<String> {
    if tensor.ndim() != 0 {
        return None;
    }
    let dtype = tensor.dtype();
    let bytes = tensor.as_bytes().ok()?;
    let mut wide = [0u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let unused = 64u32.checked_sub(u32::from(dtype.bits))?;
    let value = match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => return Some(if bits != 0 { "True" } else { "False" }.to_owned()),
        (TypeCode::Int, _) => return Some((((bits << unused) as i64) >> unused).to_string()),
        (TypeCode::UInt, _) => return Some(bits.to_string()),
        (TypeCode::Float, 64) => f64::from_bits(bits),
        (TypeCode::Float, 32) => f64::from(f32::from_bits(bits as u32)),
        (TypeCode::Float, 16) => f16::from_bits(bits as u16).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_bits(bits as u16).to_f64(),
        _ => return None,
    };
    value.is_finite().then(|| float_digits(value, dtype))
}
