//! The functions of `T` that are expressions.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_ir::Attr;
use tilewright_ir::pass::{target_string, with_host};
use tilewright_ir::tir::{BinOp, Builtin, CmpOp, Expr, ForeignCallee, Intrinsic, Var};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use super::sugar::{SUGAR, Sugar};
use crate::parse::codes;
use crate::parse::cx::{Bound, Parser, Reported, Res};
use crate::parse::value::Value;
use crate::spelling::{BINARY, COMPARE};

/// A function of `T` whose call is an expression.
#[derive(Clone, Copy)]
enum Function {
    Binary(BinOp),
    Compare(CmpOp),
    Intrinsic(Intrinsic),
    /// `T.float32(x)`, with the type's name as the function's.
    Typed(DataType),
    Not,
    BitNot,
    Cast,
    CastValueFirst,
    Select,
    Ramp,
    Broadcast,
    Shuffle,
    Let,
    DataType,
    Buffer,
    Reinterpret,
    AddressOf,
    CallExtern,
    CallPureExtern,
    CallPacked,
    CallLlvm,
    CallIntrinsic,
    BufferLoad,
    /// An address, of anything.
    Pointer,
    /// The description of a machine, as an attribute.
    Target,
    /// A value that gets no variable of its own.
    MetaVar,
    IndexMap,
    /// How a reduction over threads combines values.
    CommReducer,
    Builtin(&'static Builtin),
    Sugar(Sugar),
}

/// The functions that are none of an operator, an intrinsic or a type.
const OTHERS: [(&str, Function); 34] = [
    ("comm_reducer", Function::CommReducer),
    ("Not", Function::Not),
    ("logical_not", Function::Not),
    ("bitwise_not", Function::BitNot),
    ("Cast", Function::Cast),
    ("cast", Function::CastValueFirst),
    ("Select", Function::Select),
    ("Ramp", Function::Ramp),
    ("ramp", Function::Ramp),
    ("Broadcast", Function::Broadcast),
    ("Shuffle", Function::Shuffle),
    ("Let", Function::Let),
    ("dtype", Function::DataType),
    ("Buffer", Function::Buffer),
    ("reinterpret", Function::Reinterpret),
    ("address_of", Function::AddressOf),
    ("call_extern", Function::CallExtern),
    ("call_pure_extern", Function::CallPureExtern),
    ("call_packed", Function::CallPacked),
    ("tvm_call_packed", Function::CallPacked),
    ("call_llvm_intrin", Function::CallLlvm),
    ("call_llvm_pure_intrin", Function::CallLlvm),
    ("call_intrin", Function::CallIntrinsic),
    ("buffer_load", Function::BufferLoad),
    ("handle", Function::Pointer),
    ("Ptr", Function::Pointer),
    ("buffer_var", Function::Pointer),
    ("target", Function::Target),
    ("meta_var", Function::MetaVar),
    ("index_map", Function::IndexMap),
    ("broadcast", Function::Broadcast),
    ("indexdiv", Function::Binary(BinOp::FloorDiv)),
    ("indexmod", Function::Binary(BinOp::FloorMod)),
    ("buffer_decl", Function::Buffer),
];

/// A dict of a target's options as the string that says the same; another value as it is.
fn as_target_string(target: Value) -> Value {
    let text = match target.to_attr() {
        Some(Attr::Map(options)) => target_string(&options).ok(),
        _ => None,
    };
    text.map_or(target, |text| Value::Str(text.into()))
}

/// Names of `T` that are statements, or parts of some.
const STATEMENTS: [&str; 46] = [
    "prim_func",
    "func_attr",
    "match_buffer",
    "alloc_buffer",
    "decl_buffer",
    "allocate",
    "allocate_const",
    "attr",
    "env_thread",
    "launch_thread",
    "iter_var",
    "Assert",
    "While",
    "macro",
    "var",
    "Var",
    "SizeVar",
    "size_var",
    "axis.scan",
    "buffer_store",
    "grid",
    "serial",
    "parallel",
    "vectorized",
    "unroll",
    "thread_binding",
    "range",
    "block",
    "init",
    "reads",
    "writes",
    "where",
    "block_attr",
    "sblock",
    "sblock_alloc_buffer",
    "sblock_attr",
    "evaluate",
    "LetStmt",
    "let",
    "axis.spatial",
    "axis.reduce",
    "axis.opaque",
    "axis.remap",
    "axis.S",
    "axis.R",
    "axis.O",
];

/// Functions of the field's language that have no node in this version's IR.
const NOT_YET: &[&str] = &["realize", "vscale", "preflattened_buffer", "If", "Then", "Else"];

/// Another name of `tvm_storage_sync`.
const SYNC: &str = "sync";

/// Whether a reducer is written as its operands: neither a combiner nor a list of identities is among them.
fn is_operands(call: &ast::ExprCall) -> bool {
    let is_other = |arg: &ast::Expr| matches!(arg, ast::Expr::Lambda(_) | ast::Expr::List(_) | ast::Expr::Tuple(_));
    call.arguments.keywords.is_empty() && !call.arguments.args.iter().any(is_other)
}

/// Names that builtins had before.
const OTHER_NAMES: [(&str, &str); 2] = [("tvm_call_cpacked", "call_cpacked"), (SYNC, "tvm_storage_sync")];

fn lookup(name: &str) -> Option<Function> {
    if let Some(row) = BINARY.iter().find(|row| row.functions.contains(&name)) {
        return Some(Function::Binary(row.op));
    }
    if let Some(row) = COMPARE.iter().find(|row| row.1 == name) {
        return Some(Function::Compare(row.0));
    }
    if let Some(intrinsic) = Intrinsic::by_name(name) {
        return Some(Function::Intrinsic(intrinsic));
    }
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| *name);
    if let Some(builtin) = Builtin::by_name(other).filter(|builtin| builtin.name != "comm_reducer") {
        return Some(Function::Builtin(builtin));
    }
    if let Some((_, sugar)) = SUGAR.iter().find(|(sugar, _)| *sugar == name) {
        return Some(Function::Sugar(*sugar));
    }
    if let Some((_, function)) = OTHERS.iter().find(|(other, _)| *other == name) {
        return Some(*function);
    }
    name.parse().ok().filter(|dtype: &DataType| !dtype.is_void()).map(Function::Typed)
}

/// The call with the data type that it names by keyword in front of its other arguments, where it names one so.
fn type_in_front(call: &ast::ExprCall) -> Option<ast::ExprCall> {
    let at = call.arguments.keywords.iter().position(|keyword| keyword.arg.as_deref() == Some("dtype"))?;
    if call.arguments.args.is_empty() {
        return None;
    }
    let mut call = call.clone();
    let dtype = call.arguments.keywords.remove(at).value;
    let args = std::mem::take(&mut call.arguments.args).into_vec();
    call.arguments.args = [dtype].into_iter().chain(args).collect();
    Some(call)
}

/// Every name of `T`.
pub(in crate::parse) fn all_names() -> Vec<String> {
    let operators = BINARY.iter().flat_map(|row| row.functions.iter().copied()).chain(COMPARE.iter().map(|row| row.1));
    let intrinsics = Intrinsic::ALL.iter().map(|intrinsic| intrinsic.name());
    let intrinsics = intrinsics.chain(Intrinsic::ALIASES.iter().map(|(alias, _)| *alias));
    let others = OTHERS.iter().map(|(name, _)| *name).chain(STATEMENTS).chain(SUGAR.iter().map(|(name, _)| *name));
    let others = others.chain(Builtin::ALL.iter().map(|builtin| builtin.name)).chain([SYNC]);
    let types = DataType::TENSOR_ELEMENTS.iter().map(ToString::to_string);
    operators.chain(intrinsics).chain(others).map(str::to_owned).chain(types).collect()
}

impl Parser<'_> {
    /// A name of `T` that is not called.
    pub(in crate::parse) fn tir_name(&mut self, expr: &ast::Expr, name: &str) -> Res<Value> {
        match lookup(name) {
            Some(Function::Typed(dtype)) => Ok(Value::DType(dtype)),
            Some(Function::Pointer) => Ok(Value::DType(DataType::HANDLE)),
            Some(_) => Err(self.fail(codes::KIND, expr, "expected a value, found a function", "call it")),
            None => Err(self.unknown_tir(expr, name)),
        }
    }

    /// Checks what a pointer's type says of what it points to.
    pub(super) fn pointee(&mut self, call: &ast::ExprCall) -> Res<()> {
        let bound = self.bind(call, &["dtype", "storage_scope", "is_size_var"], 0)?;
        bound[0].map_or(Ok(()), |dtype| self.dtype(dtype).map(|_| ()))
    }

    fn unknown_tir(&mut self, expr: &ast::Expr, name: &str) -> Reported {
        let text = self.text_of(expr).to_owned();
        if STATEMENTS.contains(&name) {
            let message = format!("`{text}` is a statement of its own, not a value");
            let diagnostic = Diagnostic::error(codes::PLACE, message).at(self.span(expr));
            return self.report(match name {
                "where" => diagnostic.help(format!("`{}` chooses one of two values", self.spell("script.tir.Select"))),
                _ => diagnostic,
            });
        }
        if NOT_YET.contains(&name) {
            return self.fail(codes::NOT_YET, expr, format!("`{text}` is not read by this version"), "");
        }
        let (own, others) = (self.tir_names(), self.relax_names());
        self.unknown_function(expr, &own, &others)
    }

    /// The functions of `T`, as the file spells them.
    pub(in crate::parse) fn tir_names(&self) -> Vec<String> {
        all_names().iter().map(|name| self.spell(&format!("script.tir.{name}"))).collect()
    }

    /// A call of a function of `T` as an expression.
    pub(in crate::parse) fn tir_call(&mut self, expr: &ast::Expr, name: &str, call: &ast::ExprCall) -> Res<Value> {
        let Some(function) = lookup(name) else {
            let known = STATEMENTS.contains(&name) || NOT_YET.contains(&name);
            return match if known { None } else { self.try_host(expr) } {
                Some(value) => Ok(value),
                None => Err(self.unknown_tir(&call.func, name)),
            };
        };
        let typed = matches!(
            function,
            Function::Reinterpret
                | Function::CallLlvm
                | Function::Sugar(Sugar::VectorLow | Sugar::VectorHigh | Sugar::VectorCombine | Sugar::LaneMask)
        );
        match type_in_front(call).filter(|_| typed) {
            Some(call) => self.tir_function(expr, function, &call),
            None => self.tir_function(expr, function, call),
        }
    }

    fn tir_function(&mut self, expr: &ast::Expr, function: Function, call: &ast::ExprCall) -> Res<Value> {
        match function {
            Function::Binary(op) => {
                let (a, b) = self.two(call)?;
                let result = Expr::binary(op, &a, &b);
                let value = self.typed(expr, result)?;
                self.said_type(call, value)
            }
            Function::Compare(op) => {
                let (a, b) = self.two(call)?;
                let result = Expr::compare(op, &a, &b);
                let value = self.typed(expr, result)?;
                self.said_type(call, value)
            }
            Function::Intrinsic(intrinsic) => self.intrinsic(expr, intrinsic, call),
            Function::Typed(dtype) => self.typed_value(expr, dtype, call),
            Function::Not => {
                let bound = self.bind(call, &["a|x|cond", "dtype"], 1)?;
                let result = self.scalar_argument(bound[0], None)?.not();
                self.typed(expr, result)
            }
            Function::BitNot => {
                let bound = self.bind(call, &["x|a", "dtype"], 1)?;
                let x = self.scalar_argument(bound[0], None)?;
                let result = Expr::binary(BinOp::BitXor, &x, &Expr::int(-1, x.dtype));
                self.typed(expr, result)
            }
            Function::Cast => {
                let bound = self.bind(call, &["dtype", "value"], 2)?;
                let dtype = self.dtype_argument(bound[0])?;
                let result = self.scalar_argument(bound[1], None)?.cast_node(dtype);
                self.typed(expr, result)
            }
            Function::CastValueFirst => {
                let bound = self.bind(call, &["value", "dtype"], 2)?;
                let dtype = self.dtype_argument(bound[1])?;
                let result = self.scalar_argument(bound[0], None)?.cast(dtype);
                self.typed(expr, result)
            }
            Function::Select => {
                let bound = self.bind(call, &["condition", "true_value", "false_value"], 3)?;
                let condition = self.scalar_argument(bound[0], None)?;
                let (a, b) = self.pair(bound[1], bound[2])?;
                let result = Expr::select(&condition, &a, &b);
                self.typed(expr, result)
            }
            Function::Ramp => {
                let bound = self.bind(call, &["base", "stride", "lanes"], 3)?;
                let (base, stride) = self.pair(bound[0], bound[1])?;
                let lanes = self.lanes(bound[2])?;
                let result = Expr::ramp(&base, &stride, lanes);
                self.typed(expr, result)
            }
            Function::Broadcast => {
                let bound = self.bind(call, &["value", "lanes"], 2)?;
                let value = self.scalar_argument(bound[0], None)?;
                let lanes = self.lanes(bound[1])?;
                let result = value.broadcast(lanes);
                self.typed(expr, result)
            }
            Function::Shuffle => self.shuffle(expr, call),
            Function::Let => self.let_expression(expr, call),
            Function::DataType => {
                let bound = self.bind(call, &["dtype"], 1)?;
                self.dtype_argument(bound[0]).map(Value::DType)
            }
            Function::Reinterpret => {
                let bound = self.bind(call, &["dtype", "value|src"], 2)?;
                let dtype = self.dtype_argument(bound[0])?;
                let result = self.scalar_argument(bound[1], None)?.reinterpret(dtype);
                self.typed(expr, result)
            }
            Function::AddressOf => self.address_of(expr, call),
            Function::CallExtern => self.call_extern(expr, call, ForeignCallee::Extern),
            Function::CallPureExtern => self.call_extern(expr, call, ForeignCallee::PureExtern),
            Function::CallIntrinsic => self.call_intrinsic(expr, call),
            Function::BufferLoad => {
                let bound = self.bind(call, &["buffer", "indices", "predicate"], 2)?;
                let buffer = self.stored_buffer(bound[0].ok_or(Reported)?)?;
                let indices = self.index_list(&buffer, bound[1])?;
                let predicate = bound[2].map(|predicate| self.scalar(predicate, None)).transpose()?;
                let result = Expr::load_where(&buffer, indices, predicate);
                self.typed(expr, result)
            }
            Function::Pointer => {
                self.pointee(call)?;
                Ok(Value::DType(DataType::HANDLE))
            }
            Function::Target => {
                let bound = self.bind(call, &["target_config", "host"], 1)?;
                let target = self.eval(bound[0].ok_or(Reported)?)?;
                let Some(host) = bound[1] else { return Ok(as_target_string(target)) };
                Ok(as_target_string(match (target, self.eval(host)?) {
                    (target, Value::None) => target,
                    (Value::Str(target), Value::Str(host)) => Value::Str(with_host(&target, &host).into()),
                    (Value::Str(target), host) => {
                        Value::Dict(vec![("kind".into(), Value::Str(target)), ("host".into(), host)])
                    }
                    (Value::Dict(mut options), host) => {
                        options.retain(|(name, _)| &**name != "host");
                        options.push(("host".into(), host));
                        Value::Dict(options)
                    }
                    (other, _) => other,
                }))
            }
            Function::IndexMap => {
                let bound = self.bind(call, &["mapping"], 1)?;
                self.index_map(bound[0].ok_or(Reported)?).map(Value::IndexMap)
            }
            Function::MetaVar => {
                let bound = self.bind(call, &["value"], 1)?;
                self.eval(bound[0].ok_or(Reported)?)
            }
            Function::CommReducer => match Builtin::by_name("comm_reducer").filter(|_| is_operands(call)) {
                Some(builtin) => self.builtin(expr, builtin, call),
                None => self.comm_reducer(call),
            },
            Function::Builtin(builtin) => self.builtin(expr, builtin, call),
            Function::Sugar(sugar) => self.sugar(expr, sugar, call),
            Function::CallPacked => self.call_packed_kernel(expr, call),
            Function::CallLlvm => self.call_llvm(expr, call),
            Function::Buffer => {
                let buffer = self.buffer_call(call, "", false)?;
                Ok(Value::Buffer(buffer))
            }
        }
    }

    pub(super) fn scalar_argument(&mut self, arg: Option<&ast::Expr>, hint: Option<DataType>) -> Res<Expr> {
        arg.map_or(Err(Reported), |arg| self.scalar(arg, hint))
    }

    fn pair(&mut self, a: Option<&ast::Expr>, b: Option<&ast::Expr>) -> Res<(Expr, Expr)> {
        let (Some(a), Some(b)) = (a, b) else { return Err(Reported) };
        let (left, right) = (self.eval(a), self.eval(b));
        self.unify([a, b], left?, right?)
    }

    /// The operands of a binary function.
    pub(super) fn two(&mut self, call: &ast::ExprCall) -> Res<(Expr, Expr)> {
        let bound = self.bind_typed(call, &["a|x|x1|lhs", "b|y|x2|rhs"], 2)?;
        self.pair(bound[0], bound[1])
    }

    /// Arguments of a function whose type follows from them; the script of 2022 says that type as well, as `dtype=`.
    fn bind_typed<'e>(&mut self, call: &'e ast::ExprCall, params: &[&'static str], required: usize) -> Res<Bound<'e>> {
        if call.arguments.find_keyword("dtype").is_none() {
            return self.bind(call, params, required);
        }
        let mut bound = self.bind(call, &[params, &["dtype"]].concat(), required)?;
        self.dtype_argument(bound.pop().flatten())?;
        Ok(bound)
    }

    /// The value has the type that the call says, if it says one.
    fn said_type(&mut self, call: &ast::ExprCall, value: Value) -> Res<Value> {
        let (Some(said), Value::Scalar(scalar)) = (call.arguments.find_keyword("dtype"), &value) else {
            return Ok(value);
        };
        let dtype = self.dtype(&said.value)?;
        if dtype == scalar.dtype {
            return Ok(value);
        }
        let message = format!("`{}` gives {} here, not {dtype}", self.text_of(&*call.func), scalar.dtype);
        Err(self.fail(codes::DTYPE, said, message, ""))
    }

    fn lanes(&mut self, arg: Option<&ast::Expr>) -> Res<u16> {
        let arg = arg.ok_or(Reported)?;
        let lanes = self.integer(arg)?;
        match u16::try_from(lanes) {
            Ok(lanes) if lanes > 0 => Ok(lanes),
            _ => Err(self.fail(codes::RANGE, arg, format!("a vector has 1 to 65535 lanes, found {lanes}"), "")),
        }
    }

    fn intrinsic(&mut self, expr: &ast::Expr, intrinsic: Intrinsic, call: &ast::ExprCall) -> Res<Value> {
        const PARAMS: [&str; 3] = ["a|x|x1|cond", "b|y|x2|t", "c|z|f"];
        let arity = intrinsic.arity();
        let bound = self.bind_typed(call, PARAMS.get(..arity).unwrap_or(&PARAMS), arity)?;
        let values: Vec<_> = bound.iter().map(|arg| arg.map_or(Err(Reported), |arg| self.eval(arg))).collect();
        let values = values.into_iter().collect::<Res<Vec<_>>>()?;
        let is_condition = |at: usize| intrinsic == Intrinsic::IfThenElse && at == 0;
        let typed = values.iter().enumerate().find_map(|(at, value)| match value {
            Value::Scalar(scalar) if !is_condition(at) => Some(scalar.dtype),
            _ => None,
        });
        // Most intrinsics are of floats: integer literals alone are then floats, too.
        let of_floats = intrinsic.is_of_floats();
        let hint = typed.or(of_floats.then_some(DataType::F32));
        let mut args = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let range = bound[at].map_or(expr.range(), Ranged::range);
            args.push(self.scalar_value(&range, value, hint.filter(|_| !is_condition(at)))?);
        }
        let result = Expr::call(intrinsic, &args);
        let value = self.typed(expr, result)?;
        self.said_type(call, value)
    }

    /// `T.float32(x)`: a constant of the type, or a conversion to it.
    fn typed_value(&mut self, expr: &ast::Expr, dtype: DataType, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["expr"], 0)?;
        let Some(arg) = bound[0] else {
            let text = self.text_of(expr).to_owned();
            let message = format!("`{text}` declares a variable: it must be the whole right side of `name =`");
            return Err(self.fail(codes::PLACE, expr, message, ""));
        };
        if dtype.is_handle() {
            return Err(self.fail(codes::KIND, expr, "an address cannot be made from a value", ""));
        }
        let value = match self.eval(arg)? {
            Value::Str(text) if dtype.is_float() => match &*text {
                "inf" => Expr::float(f64::INFINITY, dtype),
                "-inf" => Expr::float(f64::NEG_INFINITY, dtype),
                "nan" => Expr::float(f64::NAN, dtype),
                _ => return Err(self.fail(codes::KIND, arg, "expected a number, \"inf\", \"-inf\" or \"nan\"", "")),
            },
            Value::Bool(value) if dtype.is_bool() => Expr::int(i64::from(value), dtype),
            Value::Float(number) if !dtype.is_float() => {
                let message = format!("the number {number:?} is no {dtype}");
                return Err(self.fail(codes::DTYPE, arg, message, ""));
            }
            value => self.scalar_value(arg, value, Some(dtype))?,
        };
        let result = value.cast(dtype);
        self.typed(expr, result)
    }

    fn shuffle(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["vectors", "indices"], 2)?;
        let (Some(vectors), Some(indices)) = (bound[0], bound[1]) else { return Err(Reported) };
        let vectors = match self.eval(vectors)? {
            Value::Tuple(items) => {
                items.into_iter().map(|item| self.scalar_value(vectors, item, None)).collect::<Res<Vec<_>>>()?
            }
            other => return Err(self.wrong_kind(vectors, "a list of vectors", &other)),
        };
        let lanes = self.eval(indices)?;
        let lanes = lanes.to_attr().and_then(|attr| attr.as_ints());
        let lanes = lanes.and_then(|lanes| lanes.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>().ok());
        let Some(lanes) = lanes else {
            return Err(self.fail(codes::KIND, indices, "expected a list of lane numbers", ""));
        };
        let result = Expr::shuffle(vectors, lanes);
        self.typed(expr, result)
    }

    /// `T.Let(body, where={x: value})`.
    fn let_expression(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["expr", "where"], 2)?;
        let (Some(body), Some(ast::Expr::Dict(bindings))) = (bound[0], bound[1]) else {
            return Err(self.fail(codes::FORM, expr, "expected `where={name: value}`", ""));
        };
        self.scoped(|parser| {
            let mut bound = Vec::new();
            for item in &bindings.items {
                let Some(ast::Expr::Name(name)) = &item.key else {
                    return Err(parser.fail(codes::FORM, bindings, "expected a name before `:`", ""));
                };
                let value = parser.scalar(&item.value, None)?;
                let var = Var::new(name.id.as_str(), value.dtype);
                parser.scopes.define(&name.id, Value::Scalar(Expr::var(&var)));
                bound.push((var, value));
            }
            let body = parser.scalar(body, None)?;
            let result = bound.iter().rev().try_fold(body, |body, (var, value)| Expr::bind(var, value, &body));
            parser.typed(expr, result)
        })
    }
}
