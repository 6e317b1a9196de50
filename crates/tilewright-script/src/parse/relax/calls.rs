//! The functions of `R` that are values, and calls of functions.

use std::sync::Arc;

use ruff_python_ast as ast;
use tilewright_expr as scalar;
use tilewright_ir::calls::TirCall;
use tilewright_ir::relax::{Expr, ExprKind, GlobalVar, StructInfo, TensorShape};
use tilewright_ir::{Attrs, GlobalFunc};
use tilewright_support::{Diagnostic, with_stack};
use tilewright_tensor::DataType;

use super::operators::OTHERS;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// The parts of a call of a packed function: its name, arguments, struct infos and `inplace_indices`.
type PackedArguments<'e> = (Arc<str>, Vec<Expr>, Vec<StructInfo>, Option<&'e ast::Expr>);

impl Parser<'_> {
    /// A call of something of `R` as an expression.
    pub(in crate::parse) fn relax_call(&mut self, expr: &ast::Expr, name: &str, call: &ast::ExprCall) -> Res<Value> {
        if let Some(info) = self.info_call(name, call)? {
            return Ok(Value::Info(info));
        }
        match name {
            "call_tir" => self.call_tir(expr, call),
            "call_tir_with_grad" => self.call_tir_with_grad(expr, call),
            "call_tir_inplace" => self.call_tir_inplace(expr, call),
            "call_dps_packed" => self.call_dps_packed(expr, call),
            "call_packed" | "call_pure_packed" => self.call_packed(call, name == "call_pure_packed"),
            "call_inplace_packed" => self.call_inplace_packed(expr, call),
            "call_builtin_with_ctx" => self.call_builtin_with_ctx(call),
            "invoke_closure" | "invoke_pure_closure" => self.invoke_closure(expr, name == "invoke_pure_closure", call),
            "const" => self.const_call(expr, call),
            "shape" | "ShapeExpr" => {
                let bound = self.bind(call, &["value"], 1)?;
                let node = bound[0].ok_or(Reported)?;
                let dims = self.dims(node)?.unwrap_or_default();
                Ok(Value::Graph(Expr::shape(dims)))
            }
            "prim_value" => {
                let bound = self.bind(call, &["value"], 1)?;
                let node = bound[0].ok_or(Reported)?;
                let value = self.eval(node)?;
                let hint = matches!(value, Value::Int(_)).then_some(DataType::I64);
                let value = self.scalar_value(node, value, hint)?;
                Ok(Value::Graph(Expr::prim(value)))
            }
            "str" => {
                let bound = self.bind(call, &["value"], 1)?;
                let text = self.string(bound[0].ok_or(Reported)?)?;
                Ok(Value::Graph(Expr::str(text)))
            }
            "dtype" => {
                let bound = self.bind(call, &["value"], 1)?;
                let dtype = self.dtype_argument(bound[0])?;
                Ok(Value::Graph(Expr::dtype_value(dtype)))
            }
            "tuple" => {
                let tuple = Expr::tuple(self.positional(call)?);
                self.bounded(call, &tuple.struct_info)?;
                Ok(Value::Graph(tuple))
            }
            "ExternFunc" => {
                let bound = self.bind(call, &["global_symbol"], 1)?;
                let name = self.string(bound[0].ok_or(Reported)?)?;
                Ok(Value::Graph(Expr::extern_func(name)))
            }
            "emit" => {
                let bound = self.bind(call, &["value"], 1)?;
                let node = bound[0].ok_or(Reported)?;
                let value = self.graph_expr(node)?;
                self.leaf(node, value).map(Value::Graph)
            }
            "TupleGetItem" => {
                let bound = self.bind(call, &["tuple_value|tuple", "index"], 2)?;
                let (Some(node), Some(index)) = (bound[0], bound[1]) else { return Err(Reported) };
                let tuple = self.graph_expr(node)?;
                self.tuple_item(expr, tuple, index)
            }
            "emit_te" | "call_te" => self.call_te(expr),
            "emit_with_sinfo" => self.emit_with_sinfo(expr, call),
            _ if let Some(op) = tilewright_ops::lookup(name) => self.operator(expr, op, call),
            _ if OTHERS.contains(&name) => {
                let message = format!("`{}` is a statement of its own, not a value", self.text_of(&*call.func));
                Err(self.fail(codes::PLACE, expr, message, ""))
            }
            _ => match self.try_host(expr) {
                Some(value) => Ok(value),
                None => Err(self.unknown_relax(&call.func, name)),
            },
        }
    }

    /// `R.emit_te(f, x, …)`: Python calls `f` and says the PrimFunc of what it computes, its name, the arguments, the
    /// results and the scalars of the call.
    fn call_te(&mut self, expr: &ast::Expr) -> Res<Value> {
        let Value::Tuple(parts) = self.outside(expr)? else { return Err(Reported) };
        let [Value::Captured(function), Value::Str(name), Value::Tuple(args), Value::Tuple(infos), Value::Tuple(vars)] =
            parts.as_slice()
        else {
            return Err(self.fail(codes::KIND, expr, "expected a function of tensor expressions", ""));
        };
        let global = self.take_in_as(expr, function.clone(), name)?;
        let mut leaves = Vec::new();
        for arg in args {
            let arg = self.graph_value(expr, arg.clone())?;
            leaves.push(self.leaf(expr, arg)?);
        }
        let out = infos.iter().map(|info| self.info_value(expr, info.clone())).collect::<Res<_>>()?;
        let vars = vars.iter().map(|var| self.scalar_value(expr, var.clone(), None)).collect::<Res<_>>()?;
        self.finish_call_tir(expr, expr, global, (leaves, out, TirCall { tir_vars: vars, te_grad: None }))
    }

    /// `R.emit_with_sinfo("relax.add", (a, b), sinfo)`: a call of an operator by its name, whose result is of this
    /// struct info.
    fn emit_with_sinfo(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["op", "args", "sinfo_args"], 3)?;
        let (Some(op_node), Some(args), Some(infos)) = (bound[0], bound[1], bound[2]) else { return Err(Reported) };
        let name = self.string(op_node)?;
        let args = self.argument_list(args)?;
        let infos = self.infos(infos)?;
        let short = name.strip_prefix("relax.").unwrap_or(&name);
        let Some(op) = tilewright_ops::lookup(short) else {
            let known: Vec<&str> = tilewright_ops::all().map(|op| op.0.name).collect();
            let message = format!("unknown operator `{name}`");
            return Err(self.unknown(codes::UNKNOWN_FUNCTION, op_node, message, short, known));
        };
        let result = Expr::call_op(&self.infer, op, args, Attrs::new());
        let result = self.inferred(expr, &[], result)?;
        if let [info] = infos.as_slice()
            && let Some(reason) = self.mismatch(info, &result.struct_info)
        {
            return Err(self.fail(
                codes::STRUCT_INFO,
                expr,
                format!("the result is not what is said of it: {reason}"),
                "",
            ));
        }
        self.leaf(expr, result).map(Value::Graph)
    }

    /// The positional arguments of a call that takes any number and nothing else.
    fn positional(&mut self, call: &ast::ExprCall) -> Res<Vec<Expr>> {
        if let Some(keyword) = call.arguments.keywords.first() {
            return Err(self.fail(codes::ARGUMENTS, keyword, "unexpected argument by name", ""));
        }
        self.leaves(&call.arguments.args)
    }

    fn leaves(&mut self, nodes: &[ast::Expr]) -> Res<Vec<Expr>> {
        let mut leaves = Vec::new();
        for node in nodes {
            let value = self.graph_expr(node)?;
            leaves.push(self.leaf(node, value)?);
        }
        Ok(leaves)
    }

    /// `R.call_tir(cls.f, (a, b), out_sinfo=…)`, and of 2022 `R.call_tir(f, (a, b), (1, 128), dtype="float32")`.
    fn call_tir(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound =
            self.bind(call, &["gvar|func", "args", "out_sinfo|shape|output_shape|out_ty", "dtype", "tir_vars"], 3)?;
        let (Some(callee), Some(args_node), Some(out)) = (bound[0], bound[1], bound[2]) else { return Err(Reported) };
        let function = self.eval(callee);
        let args = self.argument_list(args_node);
        let out = self.destinations(out, bound[3]);
        let said = self.tir_vars(bound[4]).map(|tir_vars| TirCall { tir_vars, te_grad: None });
        match function? {
            // A text names a function of the runtime.
            Value::Str(name) => {
                let result = Expr::call_dps_packed(name, args?, out?);
                self.inferred(expr, &[], result).map(Value::Graph)
            }
            Value::Function(name) => {
                if self.is_relax(&name) {
                    let diagnostic =
                        Diagnostic::error(codes::KIND, format!("`{name}` is a Relax function, not a PrimFunc"))
                            .at(self.span(callee))
                            .help(format!("call it: `{}(…)`", self.text_of(callee)));
                    return Err(self.report(diagnostic));
                }
                let global = self.global(callee, &name)?;
                self.finish_call_tir(expr, args_node, global, (args?, out?, said?))
            }
            Value::Global(global) => self.finish_call_tir(expr, args_node, global, (args?, out?, said?)),
            Value::Captured(function @ GlobalFunc::Prim(_)) => {
                let global = self.take_in(callee, function)?;
                self.finish_call_tir(expr, args_node, global, (args?, out?, said?))
            }
            other => Err(self.wrong_kind(callee, "a PrimFunc of the module, or the name of a packed function", &other)),
        }
    }

    fn finish_call_tir(
        &mut self,
        expr: &ast::Expr,
        args_node: &ast::Expr,
        global: GlobalVar,
        (args, out, said): (Vec<Expr>, Vec<StructInfo>, TirCall),
    ) -> Res<Value> {
        let nodes: Vec<&ast::Expr> = match args_node {
            ast::Expr::Tuple(tuple) => tuple.elts.iter().collect(),
            ast::Expr::List(list) => list.elts.iter().collect(),
            one => vec![one],
        };
        let result = Expr::call_tir_with(&self.infer, global, args, out, said);
        self.inferred(expr, &nodes, result).map(Value::Graph)
    }

    /// `R.call_tir_with_grad(cls.f, (a,), out_sinfo=…, te_grad_name="grad", te_grad_kwargs={…})`.
    fn call_tir_with_grad(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let names = ["gvar|func", "args", "out_sinfo|out_ty", "te_grad_name", "te_grad_kwargs", "tir_vars"];
        let bound = self.bind(call, &names, 4)?;
        let (Some(callee), Some(args_node), Some(out), Some(name)) = (bound[0], bound[1], bound[2], bound[3]) else {
            return Err(Reported);
        };
        let function = self.prim_func_argument(callee);
        let args = self.argument_list(args_node);
        let out = self.infos(out);
        let name = self.string(name)?;
        let kwargs = match bound[4].filter(|node| !node.is_none_literal_expr()) {
            Some(node) => self.attrs_argument(Some(node))?,
            None => Attrs::new(),
        };
        let said = TirCall { tir_vars: self.tir_vars(bound[5])?, te_grad: Some((name, kwargs)) };
        self.finish_call_tir(expr, args_node, function?, (args?, out?, said))
    }

    /// A PrimFunc of the module.
    fn prim_func_argument(&mut self, callee: &ast::Expr) -> Res<GlobalVar> {
        match self.eval(callee)? {
            Value::Function(name) if !self.is_relax(&name) => self.global(callee, &name),
            Value::Global(global) => Ok(global),
            Value::Captured(function @ GlobalFunc::Prim(_)) => self.take_in(callee, function),
            other => Err(self.wrong_kind(callee, "a PrimFunc of the module", &other)),
        }
    }

    /// Scalars that a PrimFunc gets after its buffers: a shape, or their list.
    fn tir_vars(&mut self, node: Option<&ast::Expr>) -> Res<Vec<scalar::Expr>> {
        let Some(node) = node.filter(|node| !node.is_none_literal_expr()) else { return Ok(Vec::new()) };
        if let Some((path, call)) = self.call_path(node)
            && path == "script.relax.tir_vars"
        {
            let mut vars = Vec::new();
            for arg in &call.arguments.args {
                let value = self.eval(arg)?;
                vars.push(self.scalar_value(arg, value, Some(DataType::I64))?);
            }
            return Ok(vars);
        }
        Ok(self.dims(node)?.unwrap_or_default())
    }

    /// `R.call_tir_inplace(cls.f, (a, b), [0, -1], out_sinfo=[…])`: of each result the argument that it overwrites.
    fn call_tir_inplace(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let names = ["gvar", "args", "inplace_indices", "out_sinfo|out_ty", "tir_vars"];
        let bound = self.bind(call, &names, 4)?;
        let (Some(callee), Some(args_node), Some(inplace), Some(out)) = (bound[0], bound[1], bound[2], bound[3]) else {
            return Err(Reported);
        };
        let function = self.prim_func_argument(callee);
        let args = self.argument_list(args_node);
        let results = self.inplace_results(inplace);
        let out = self.infos(out);
        let vars = self.tir_vars(bound[4]);
        let result = Expr::call_tir_inplace_with(&self.infer, function?, args?, results?, out?, vars?);
        self.inferred(expr, &[], result).map(Value::Graph)
    }

    /// Of each result the argument that it overwrites: its index, -1 for none.
    fn inplace_results(&mut self, node: &ast::Expr) -> Res<Vec<Option<usize>>> {
        let given = self.attribute_value("inplace_indices", node)?;
        let indices = given.as_int().map(|index| vec![index]).or_else(|| given.as_ints());
        let argument = |index: i64| if index == -1 { Some(None) } else { usize::try_from(index).ok().map(Some) };
        let results = indices.and_then(|indices| indices.into_iter().map(argument).collect::<Option<Vec<_>>>());
        let help = "-1 means a result that is allocated";
        results.ok_or_else(|| self.fail(codes::KIND, node, "expected the indices of arguments", help))
    }

    /// The results of a call in destination-passing style: struct infos, or shapes with data types.
    fn destinations(&mut self, out: &ast::Expr, dtype: Option<&ast::Expr>) -> Res<Vec<StructInfo>> {
        let Some(dtype) = dtype else {
            let infos = self.infos(out)?;
            return Ok(infos);
        };
        let dtypes = match self.eval(dtype)? {
            Value::Tuple(items) => items,
            one => vec![one],
        };
        let dtypes = dtypes.into_iter().map(|item| match item {
            Value::DType(dtype) => Ok(dtype),
            Value::Str(text) => self.dtype_of_text(dtype, &text),
            other => Err(self.wrong_kind(dtype, "a data type such as \"float32\"", &other)),
        });
        let dtypes: Vec<DataType> = dtypes.collect::<Res<_>>()?;
        let shapes: Vec<&ast::Expr> = match out {
            ast::Expr::List(list) if list.elts.iter().all(|elt| elt.is_tuple_expr() || elt.is_list_expr()) => {
                list.elts.iter().collect()
            }
            ast::Expr::Tuple(tuple)
                if !tuple.elts.is_empty() && tuple.elts.iter().all(|elt| elt.is_tuple_expr() || elt.is_list_expr()) =>
            {
                tuple.elts.iter().collect()
            }
            one => vec![one],
        };
        if dtypes.len() != shapes.len() && dtypes.len() != 1 {
            let message = format!("{} shapes with {} data types", shapes.len(), dtypes.len());
            return Err(self.fail(codes::ARGUMENTS, dtype, message, ""));
        }
        let mut infos = Vec::new();
        for (shape, dtype) in shapes.into_iter().zip(dtypes.iter().cycle()) {
            match self.dims(shape)? {
                Some(dims) => infos.push(StructInfo::tensor_with(TensorShape::Known(dims), Some(*dtype))),
                None => return Err(self.fail(codes::KIND, shape, "expected a shape, found None", "")),
            }
        }
        Ok(infos)
    }

    fn call_dps_packed(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["func", "args", "out_sinfo|shape|output_shape|out_ty", "dtype"], 3)?;
        let (Some(callee), Some(args), Some(out)) = (bound[0], bound[1], bound[2]) else { return Err(Reported) };
        let name = self.packed_name(callee);
        let args = self.argument_list(args);
        let out = self.destinations(out, bound[3]);
        let result = Expr::call_dps_packed(name?, args?, out?);
        self.inferred(expr, &[], result).map(Value::Graph)
    }

    /// The name of a function of the runtime.
    fn packed_name(&mut self, node: &ast::Expr) -> Res<Arc<str>> {
        let value = self.eval(node)?;
        if let Value::Graph(expr) = &value
            && let ExprKind::ExternFunc(name) = &expr.kind
        {
            return Ok(name.clone());
        }
        match value {
            Value::Str(name) => Ok(name),
            other => Err(self.wrong_kind(node, "the name of a packed function, as a text", &other)),
        }
    }

    /// `R.call_packed("name", a, b, sinfo_args=…)`.
    fn call_packed(&mut self, call: &ast::ExprCall, pure: bool) -> Res<Value> {
        let (name, args, infos, _) = self.packed_arguments(call, &["sinfo_args"])?;
        Ok(Value::Graph(match pure {
            true => Expr::call_pure_packed(name, args, infos),
            false => Expr::call_packed(name, args, infos),
        }))
    }

    /// `R.call_inplace_packed("name", a, b, inplace_indices=[0], sinfo_args=…)`.
    fn call_inplace_packed(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let (name, args, infos, inplace) = self.packed_arguments(call, &["sinfo_args", "inplace_indices"])?;
        let Some(inplace) = inplace else {
            let message = format!("`{}` needs the argument `inplace_indices`", self.text_of(&*call.func));
            return Err(self.fail(codes::ARGUMENTS, call, message, ""));
        };
        let results = self.inplace_results(inplace)?;
        let result = Expr::call_inplace_packed(&self.infer, name, args, &results, infos);
        let nodes: Vec<&ast::Expr> = call.arguments.args.iter().skip(1).collect();
        self.inferred(expr, &nodes, result).map(Value::Graph)
    }

    /// `R.call_builtin_with_ctx("name", (a, b), sinfo_args=…)`.
    fn call_builtin_with_ctx(&mut self, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["func", "args", "sinfo_args"], 2)?;
        let (Some(callee), Some(args)) = (bound[0], bound[1]) else { return Err(Reported) };
        let name = self.packed_name(callee);
        let args = self.argument_list(args);
        let infos = bound[2].map_or(Ok(Vec::new()), |infos| self.infos(infos));
        Ok(Value::Graph(Expr::call_builtin_with_ctx(name?, args?, infos?)))
    }

    /// The name, the arguments and the struct infos of a call of a packed function, and its `inplace_indices`.
    fn packed_arguments<'e>(&mut self, call: &'e ast::ExprCall, keywords: &[&'static str]) -> Res<PackedArguments<'e>> {
        let Some((callee, args)) = call.arguments.args.split_first() else {
            return Err(self.fail(codes::ARGUMENTS, call, "expected the name of a packed function", ""));
        };
        let name = self.packed_name(callee);
        let args = self.leaves(args);
        let (mut infos, mut inplace) = (Ok(Vec::new()), None);
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref().map(|name| name.as_str()) {
                Some("sinfo_args" | "type_args") => infos = self.infos(&keyword.value),
                Some(name) if keywords.contains(&name) => inplace = Some(&keyword.value),
                Some(other) => {
                    let message = format!("`{}` has no argument `{other}`", self.text_of(&*call.func));
                    return Err(self.unknown(codes::ARGUMENTS, keyword, message, other, keywords.iter().copied()));
                }
                None => return Err(self.fail(codes::FORM, keyword, "unpacked arguments are not read", "")),
            }
        }
        Ok((name?, args?, infos?, inplace))
    }

    /// `R.invoke_closure(f, (a, b), sinfo_args=…)`.
    fn invoke_closure(&mut self, expr: &ast::Expr, pure: bool, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["closure", "args", "sinfo_args"], 3)?;
        let (Some(callee), Some(args_node), Some(infos)) = (bound[0], bound[1], bound[2]) else { return Err(Reported) };
        let function = self.graph_expr(callee).and_then(|function| self.leaf(callee, function));
        let args = self.argument_list(args_node);
        let infos = self.infos(infos);
        let result = Expr::invoke_closure(&self.infer, function?, args?, infos?, pure);
        self.inferred(expr, &[callee], result).map(Value::Graph)
    }

    /// A PrimFunc calls intrinsics, macros, and functions from outside of the module by their names.
    fn call_from_prim_func(&mut self, call: &ast::ExprCall, function: Value) -> Reported {
        match function {
            Value::Function(name) if self.functions.is_in_error(&name) => Reported,
            Value::Function(name) if !self.is_relax(&name) => {
                let message = format!("`{name}` calls itself, and no module is here to hold both");
                let diagnostic = Diagnostic::error(codes::KIND, message).at(self.span(&*call.func));
                self.report(diagnostic.help("PrimFuncs of a class decorated with `I.ir_module` call each other"))
            }
            Value::Function(name) => {
                let message = format!("`{name}` is a Relax function, which a PrimFunc cannot call");
                let diagnostic = Diagnostic::error(codes::KIND, message).at(self.span(&*call.func));
                self.report(diagnostic.help("the graph calls both, and passes on what they share"))
            }
            Value::Macro(_) => {
                self.fail(codes::PLACE, &*call.func, "the call of a macro is a statement of its own, not a value", "")
            }
            other => self.wrong_kind(&*call.func, "a function of the script, or a macro", &other),
        }
    }

    /// A call of a function of the module, or of a variable.
    pub(in crate::parse) fn graph_call(
        &mut self,
        expr: &ast::Expr,
        function: Value,
        call: &ast::ExprCall,
    ) -> Res<Value> {
        if self.in_prim_func() {
            return match function {
                Value::Function(name)
                    if !self.functions.module.is_empty()
                        && !self.is_relax(&name)
                        && !self.functions.is_in_error(&name) =>
                {
                    self.call_prim_func(&name, call)
                }
                function => Err(self.call_from_prim_func(call, function)),
            };
        }
        let callee = match function {
            Value::Macro(definition) => return self.expand_in_graph(&definition, call),
            Value::Function(name) => {
                let global = self.global(&call.func, &name)?;
                Expr::global(&global)
            }
            Value::Global(global) => Expr::global(&global),
            Value::Captured(function) => Expr::global(&self.take_in(&call.func, function)?),
            Value::Graph(expr) => expr,
            Value::Unannotated => {
                let name = self.text_of(&*call.func);
                let diagnostic = Diagnostic::error(codes::CYCLE, format!("the result of `{name}` depends on itself"))
                    .at(self.span(&*call.func))
                    .help(format!("annotate it: `def {name}(…) -> R.Tensor(…)`"));
                return Err(self.report(diagnostic));
            }
            other => return Err(self.wrong_kind(&*call.func, "a function", &other)),
        };
        let args = self.positional(call)?;
        let nodes: Vec<&ast::Expr> = call.arguments.args.iter().collect();
        let result = Expr::call_value(&self.infer, callee, args);
        self.inferred(expr, &nodes, result).map(Value::Graph)
    }

    /// The value of an expression as one of the graph.
    pub(super) fn graph_expr(&mut self, node: &ast::Expr) -> Res<Expr> {
        let value = self.eval(node)?;
        self.graph_value(node, value)
    }

    pub(super) fn graph_value(&mut self, node: &ast::Expr, value: Value) -> Res<Expr> {
        with_stack(|| self.graph_value_inside(node, value))
    }

    fn graph_value_inside(&mut self, node: &ast::Expr, value: Value) -> Res<Expr> {
        match value {
            Value::Graph(expr) => Ok(expr),
            Value::Tuple(items) => {
                let fields = items.into_iter().map(|item| {
                    let field = self.graph_value(node, item)?;
                    self.leaf(node, field)
                });
                let fields: Vec<_> = fields.collect::<Vec<_>>();
                let tuple = Expr::tuple(fields.into_iter().collect::<Res<_>>()?);
                self.bounded(node, &tuple.struct_info)?;
                Ok(tuple)
            }
            Value::Function(name) => {
                let global = self.global(node, &name)?;
                Ok(Expr::global(&global))
            }
            Value::Global(global) => Ok(Expr::global(&global)),
            Value::Captured(function) => Ok(Expr::global(&self.take_in(node, function)?)),
            Value::Scalar(scalar) => Ok(Expr::prim(scalar)),
            value @ (Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
                let hint = matches!(value, Value::Int(_)).then_some(DataType::I64);
                let scalar = self.scalar_value(node, value, hint)?;
                Ok(Expr::prim(scalar))
            }
            Value::Str(text) => Ok(Expr::str(text)),
            Value::DType(dtype) => Ok(Expr::dtype_value(dtype)),
            Value::None => Ok(Expr::tuple(Vec::new())),
            other => Err(self.wrong_kind(node, "a value of the graph", &other)),
        }
    }
}
