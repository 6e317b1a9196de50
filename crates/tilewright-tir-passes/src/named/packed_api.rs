//! `MakePackedAPI`: functions as callers of any language call them. `MakeUnpackedAPI`: functions of addresses.
//!
//! A packed function has six parameters: an array of 8-byte values, the array of their type codes, their number, where
//! the result and its type code go, and a handle that it does not use. It takes its own parameters out of the array and
//! checks them: their number and types, and of each tensor the rank, the element type, the sizes that the function
//! states or has met before, that it is compact, the offset, and the device. Fields of tensors are read by
//! `T.tvm_struct_get(tensor, 0, field, dtype)`.
//!
//! Both are forms to look at and to hand on as text: machine code is made of functions without them.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::tir::{
    BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ForeignCallee, Param, PrimFunc, Stmt, StmtKind, Var, attr_names,
};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Map, Set};
use tilewright_tensor::{DataType, TypeCode};

use super::{Options, refuse, with};
use crate::stmt::{Result, map_below, map_own, typed};

const CALLING_CONVENTION: &str = "calling_conv";
/// Its value for functions that take packed arguments.
const PACKED: i64 = 1;

/// Fields of tensors, and the value of an array of arguments, by their numbers in `T.tvm_struct_get`.
mod field {
    pub(super) const DATA: i64 = 1;
    pub(super) const SHAPE: i64 = 2;
    pub(super) const STRIDES: i64 = 3;
    pub(super) const RANK: i64 = 4;
    pub(super) const TYPE_CODE: i64 = 5;
    pub(super) const TYPE_BITS: i64 = 6;
    pub(super) const TYPE_LANES: i64 = 7;
    pub(super) const BYTE_OFFSET: i64 = 8;
    pub(super) const DEVICE_ID: i64 = 9;
    pub(super) const DEVICE_TYPE: i64 = 10;
    pub(super) const VALUE: i64 = 12;
}

/// Type codes of arguments.
mod code {
    pub(super) const INT: i64 = 0;
    pub(super) const FLOAT: i64 = 2;
    pub(super) const NULL: i64 = 4;
    /// An address, no address, a tensor by its fields, a tensor.
    pub(super) const ADDRESSES: [i64; 4] = [3, 13, 7, NULL];
}

/// The targets of a function that is to get another interface; nothing for one that has its own already.
fn targets_of(pass: &str, function: &PrimFunc) -> Result<Option<(String, String)>> {
    let convention = function.attrs.get(CALLING_CONVENTION).and_then(Attr::as_int);
    if function.global_symbol().is_none() || convention.is_some_and(|found| found != 0) {
        return Ok(None);
    }
    let Some(target) = function.attrs.get(attr_names::TARGET).and_then(Attr::as_str) else {
        return refuse(format!("{pass} needs the attribute `target` of the function: use BindTarget first"));
    };
    let (device, host) = tilewright_target::split_host(target);
    Ok(host.map(|host| (device, host)))
}

/// DLPack's number of the device of a target.
fn device_type(target: &str) -> i64 {
    match target.split_whitespace().next().unwrap_or_default() {
        "cuda" | "nvptx" => 2,
        "opencl" => 4,
        "vulkan" => 7,
        "metal" => 8,
        "rocm" => 10,
        "ext_dev" => 12,
        "hexagon" => 16,
        "webgpu" => 15,
        _ => 1,
    }
}

pub(super) fn make_packed_api(_: &Options, module: &IRModule) -> Result<IRModule> {
    let mut symbols: Map<Arc<str>, Arc<str>> = Map::default();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function
            && targets_of("MakePackedAPI", function)?.is_some()
        {
            symbols.insert(name.clone(), function.global_symbol().unwrap_or(name).into());
        }
    }
    on_functions(module, &mut |name, function| {
        let body = with_packed_calls(&symbols, &function.body)?;
        let function = with(function, body);
        match (symbols.get(name), targets_of("MakePackedAPI", &function)?) {
            (Some(symbol), Some((device, host))) => packed(symbol, &function, &device, &host),
            _ => Ok(function),
        }
    })
}

pub(super) fn make_unpacked_api(_: &Options, module: &IRModule) -> Result<IRModule> {
    on_functions(module, &mut |_, function| {
        let Some((device, host)) = targets_of("MakeUnpackedAPI", function)? else { return Ok(function.clone()) };
        let mut made = Vec::new();
        let mut nest = device_nest(&device, &Expr::i32(0));
        for param in &function.params {
            match &param.buffer {
                Some(buffer) => {
                    made.push(Param::scalar(&buffer.data));
                    nest.push(Item::Declare(buffer.clone()));
                }
                None => made.push(param.clone()),
            }
        }
        let mut function = with(function, Stmt::seq([nested(nest, function.body.clone()), done()]));
        function.params = made;
        function.attrs.insert(attr_names::TARGET.into(), Attr::Str(host.into()));
        Ok(function)
    })
}

fn on_functions(module: &IRModule, f: &mut dyn FnMut(&Arc<str>, &PrimFunc) -> Result<PrimFunc>) -> Result<IRModule> {
    let mut made = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            made.insert(name.clone(), GlobalFunc::Prim(Arc::new(f(name, function)?)));
        }
    }
    Ok(made)
}

/// Calls of functions that become packed ones, as calls by their symbols.
fn with_packed_calls(symbols: &Map<Arc<str>, Arc<str>>, stmt: &Stmt) -> Result<Stmt> {
    let own = map_own(stmt, &mut |expr| {
        let called = rewrite(expr, |inner: &Expr| {
            let ExprKind::Foreign { callee: ForeignCallee::Function(name), args } = &inner.kind else { return None };
            let name = Expr::str(symbols.get(name)?.clone());
            let args = std::iter::once(name).chain(args.iter().cloned()).collect();
            Some(Expr::foreign(inner.dtype, ForeignCallee::Builtin(Builtin::CALL_CPACKED.name.into()), args))
        });
        called.unwrap_or_else(|| expr.clone())
    });
    map_below(&own, &mut |inner| with_packed_calls(symbols, inner))
}

/// What stands around or in front of a function's body.
enum Item {
    Let(Var, Expr),
    Declare(Buffer),
    Attr(Expr, &'static str, Expr),
    First(Stmt),
}

/// The body inside of these, the first one outermost.
fn nested(items: Vec<Item>, body: Stmt) -> Stmt {
    items.into_iter().rev().fold(body, |body, item| match item {
        Item::Let(var, value) => StmtKind::Let { var, value, body }.into(),
        Item::Declare(buffer) => StmtKind::Allocate { buffer, body }.into(),
        Item::Attr(node, key, value) => StmtKind::Attr { node, key: key.into(), value, body }.into(),
        Item::First(stmt) => Stmt::seq([stmt, body]),
    })
}

fn device_nest(target: &str, id: &Expr) -> Vec<Item> {
    let kind = Expr::int(device_type(target), DataType::I32);
    vec![
        Item::Attr(Expr::str("default"), "device_id", id.clone()),
        Item::Attr(Expr::str("default"), "device_type", kind),
    ]
}

fn done() -> Stmt {
    StmtKind::Evaluate(Expr::builtin(Builtin::RET, vec![Expr::i32(0)])).into()
}

fn asserted(condition: Expr, message: String) -> Item {
    Item::First(StmtKind::Assert { condition, message: message.into() }.into())
}

fn equal(a: &Expr, b: &Expr) -> Result<Expr> {
    typed(Expr::compare(CmpOp::Eq, a, b))
}

fn not_null(address: &Var) -> Result<Expr> {
    typed(Expr::builtin(Builtin::ISNULLPTR, vec![Expr::var(address)]).not())
}

/// The field of a structure, at this position of an array of them.
fn get(structure: &Var, at: i64, field: i64, dtype: DataType) -> Expr {
    let int = |value| Expr::int(value, DataType::I32);
    Expr::builtin_of(dtype, Builtin::STRUCT_GET, vec![Expr::var(structure), int(at), int(field)])
}

fn packed(symbol: &str, function: &PrimFunc, device: &str, host: &str) -> Result<PrimFunc> {
    let handle = |name: &str| Var::new(name, DataType::HANDLE);
    let args = handle("args");
    let count = i64::try_from(function.params.len()).unwrap_or(i64::MAX);
    let codes = Buffer::new("arg_type_ids", vec![Expr::int(count, DataType::I32)], DataType::I32);
    let number = Var::new("num_args", DataType::I32);
    let (result, result_code) = (handle("out_ret_value"), handle("out_ret_tcode"));
    let mut nest = vec![asserted(
        equal(&Expr::var(&number), &Expr::int(count, DataType::I32))?,
        format!("{symbol}: num_args should be {count}"),
    )];
    if count > 0 {
        nest.push(asserted(not_null(&args)?, format!("{symbol}: TVMValue* arg pointer was NULL")));
        nest.push(asserted(not_null(&codes.data)?, format!("{symbol}: int* type_codes was NULL")));
    }
    nest.push(Item::Declare(codes.clone()));
    let mut binder = Binder::default();
    let mut checks = Vec::new();
    for (at, param) in (0..).zip(&function.params) {
        let own = Var::new(format!("{}_code", param.var.name), DataType::I32);
        nest.push(Item::Let(own.clone(), typed(Expr::load(&codes, vec![Expr::int(at, DataType::I32)]))?));
        checks.push(type_check(symbol, at, param.var.dtype, &own)?);
        let api = api_type(param.var.dtype);
        let value = typed(get(&args, at, field::VALUE, api).cast(param.var.dtype))?;
        binder.bind(&Expr::var(&param.var), &value, &format!("{symbol}.{}", param.var.name))?;
    }
    let device_id = Var::new("dev_id", DataType::I32);
    let mut declared = Vec::new();
    for param in &function.params {
        if let Some(buffer) = &param.buffer {
            let place = (&Expr::int(device_type(device), DataType::I32), &device_id);
            binder.tensor(buffer, place, &param.var, &format!("{symbol}.{}", param.var.name))?;
            declared.push(Item::Declare(buffer.clone()));
        }
    }
    let body = Results { value: &result, code: &result_code }.stmt(&function.body)?;
    let scope = Item::Attr(Expr::i32(0), "compute_scope", Expr::str(format!("{symbol}_compute_")));
    let body = Stmt::seq([nested(vec![scope], body), done()]);
    nest.extend(binder.nest);
    nest.extend(checks);
    if binder.known.contains(&device_id.id()) {
        nest.extend(device_nest(device, &Expr::var(&device_id)));
    }
    nest.extend(binder.asserts);
    nest.extend(declared);
    let mut made = with(function, nested(nest, body));
    let params = [&args, &codes.data, &number, &result, &result_code, &handle("resource_handle")];
    made.params = params.into_iter().map(Param::scalar).collect();
    made.attrs.insert(CALLING_CONVENTION.into(), Attr::Int(PACKED));
    made.attrs.insert(attr_names::TARGET.into(), Attr::Str(host.into()));
    Ok(made)
}

/// The type of a value as an argument.
fn api_type(dtype: DataType) -> DataType {
    match dtype {
        _ if dtype.is_handle() => DataType::HANDLE,
        _ if dtype.is_float() => DataType::F64,
        _ => DataType::I64,
    }
}

fn type_check(symbol: &str, at: i64, dtype: DataType, own: &Var) -> Result<Item> {
    let is = |code: i64| equal(&Expr::var(own), &Expr::int(code, DataType::I32));
    let (condition, expected) = match api_type(dtype) {
        DataType::HANDLE => {
            let mut any = is(code::ADDRESSES[0])?;
            for &other in &code::ADDRESSES[1..] {
                any = typed(Expr::binary(BinOp::Or, &any, &is(other)?))?;
            }
            (any, "pointer")
        }
        DataType::F64 => (is(code::FLOAT)?, "float"),
        _ => (is(code::INT)?, "int"),
    };
    Ok(asserted(condition, format!("{symbol}: Expect arg[{at}] to be {expected}")))
}

/// Values of variables, and conditions on those that are known before.
#[derive(Default)]
struct Binder {
    nest: Vec<Item>,
    asserts: Vec<Item>,
    known: Set<VarId>,
}

impl Binder {
    /// Gives a variable its value, the first time that it is met; else the two are equal.
    fn bind(&mut self, expected: &Expr, value: &Expr, what: &str) -> Result<()> {
        if let Some(var) = expected.as_var()
            && self.known.insert(var.id())
        {
            self.nest.push(Item::Let(var.clone(), value.clone()));
            return Ok(());
        }
        let condition = equal(expected, &typed(value.cast(expected.dtype))?)?;
        let simple = Analyzer::new().simplify(&condition);
        match simple.as_int() {
            Some(1) => Ok(()),
            Some(_) => refuse(format!("MakePackedAPI: no argument has the `{what}` that the function states")),
            None => {
                let message = format!("Argument {what} has an unsatisfied constraint");
                self.asserts.push(asserted(simple, message));
                Ok(())
            }
        }
    }

    /// An array of 64-bit numbers that a tensor's field leads to.
    fn numbers(&mut self, tensor: &Var, field: i64, rank: usize, name: String) -> Buffer {
        let buffer = Buffer::new(name, vec![Expr::int(rank as i64, DataType::I32)], DataType::I64);
        self.nest.push(Item::Let(buffer.data.clone(), get(tensor, 0, field, DataType::HANDLE)));
        self.nest.push(Item::Declare(buffer.clone()));
        buffer
    }

    fn tensor(&mut self, buffer: &Buffer, device: (&Expr, &Var), tensor: &Var, what: &str) -> Result<()> {
        let rank = Expr::int(buffer.rank() as i64, DataType::I32);
        let found = get(tensor, 0, field::RANK, DataType::I32);
        let message = format!("{what}.ndim is expected to equal {}", buffer.rank());
        self.asserts.push(asserted(equal(&rank, &found)?, message));
        self.asserts.push(asserted(has_type(tensor, buffer.dtype)?, {
            let dtype = buffer.dtype;
            format!("{what}.dtype is expected to be {dtype}")
        }));
        let data = get(tensor, 0, field::DATA, DataType::HANDLE);
        let is_new = !self.known.contains(&buffer.data.id());
        self.bind(&Expr::var(&buffer.data), &data, &format!("{what}.data"))?;
        if is_new {
            let align = Expr::int(buffer.align.max(1) as i64, DataType::I32);
            self.nest.push(Item::Attr(Expr::var(&buffer.data), "storage_alignment", align));
        }
        let shape = self.numbers(tensor, field::SHAPE, buffer.rank(), format!("{}_shape", tensor.name));
        let load = |from: &Buffer, at: usize, dtype: DataType| {
            let value = typed(Expr::load(from, vec![Expr::int(at as i64, DataType::I32)]))?;
            typed(value.cast(dtype))
        };
        for (at, dim) in buffer.shape.iter().enumerate() {
            self.bind(dim, &load(&shape, at, dim.dtype)?, &format!("{what}.shape[{at}]"))?;
        }
        let strides = self.numbers(tensor, field::STRIDES, buffer.rank(), format!("{}_strides", tensor.name));
        let is_null = Expr::builtin(Builtin::ISNULLPTR, vec![Expr::var(&strides.data)]);
        if buffer.strides.is_empty() {
            self.compact(buffer, &is_null, what, &|at, dtype| load(&strides, at, dtype))?;
        }
        let mut whole: Option<Expr> = None;
        for (at, stride) in buffer.strides.iter().enumerate().rev() {
            let of_shape = whole.take().unwrap_or_else(|| Expr::int(1, stride.dtype));
            let stated = load(&strides, at, stride.dtype)?;
            let value = typed(Expr::call(
                tilewright_ir::tir::Intrinsic::IfThenElse,
                &[is_null.clone(), of_shape.clone(), stated],
            ))?;
            self.bind(stride, &value, &format!("{what}.strides[{at}]"))?;
            whole = Some(typed(Expr::binary(BinOp::Mul, &of_shape, &load(&shape, at, stride.dtype)?))?);
        }
        self.offset(buffer, tensor, what)?;
        let kind = get(tensor, 0, field::DEVICE_TYPE, DataType::I32);
        self.bind(device.0, &kind, &format!("{what}.device_type"))?;
        let id = get(tensor, 0, field::DEVICE_ID, DataType::I32);
        self.bind(&Expr::var(device.1), &id, &format!("{what}.device_id"))
    }

    /// A condition that strides, where there are some, are those of a compact tensor.
    fn compact(
        &mut self,
        buffer: &Buffer,
        is_null: &Expr,
        what: &str,
        stride: &dyn Fn(usize, DataType) -> Result<Expr>,
    ) -> Result<()> {
        let Some(last) = buffer.shape.last() else { return Ok(()) };
        let (mut expected, mut all) = (Expr::int(1, last.dtype), None);
        for (at, dim) in buffer.shape.iter().enumerate().rev() {
            let fits = equal(&expected, &stride(at, expected.dtype)?)?;
            let single = equal(dim, &Expr::int(1, dim.dtype))?;
            let holds = typed(Expr::binary(BinOp::Or, &single, &fits))?;
            all = Some(match all {
                None => holds,
                Some(others) => typed(Expr::binary(BinOp::And, &others, &holds))?,
            });
            expected = typed(Expr::binary(BinOp::Mul, &expected, &typed(dim.cast(expected.dtype))?))?;
        }
        let Some(all) = all else { return Ok(()) };
        let condition = Analyzer::new().simplify(&all);
        let message = format!("{what}.strides: expected to be compact array").into();
        let then = StmtKind::Assert { condition, message }.into();
        let check = StmtKind::If { condition: typed(is_null.not())?, then, otherwise: None };
        self.asserts.push(Item::First(check.into()));
        Ok(())
    }

    fn offset(&mut self, buffer: &Buffer, tensor: &Var, what: &str) -> Result<()> {
        let bytes = get(tensor, 0, field::BYTE_OFFSET, DataType::U64);
        let size = i64::from(buffer.dtype.bits.div_ceil(8).max(1));
        match &buffer.elem_offset {
            Some(offset) if offset.as_int().is_none() => {
                let elements = typed(Expr::binary(BinOp::Div, &bytes, &Expr::int(size, DataType::U64)))?;
                self.bind(offset, &typed(elements.cast(offset.dtype))?, &format!("{what}.elem_offset"))
            }
            offset => {
                let elements = offset.as_ref().and_then(Expr::as_int).unwrap_or(0);
                let expected = Expr::int(elements.wrapping_mul(size), DataType::U64);
                self.bind(&expected, &bytes, &format!("{what}.byte_offset"))
            }
        }
    }
}

/// Whether the elements of a tensor are of the type.
fn has_type(tensor: &Var, dtype: DataType) -> Result<Expr> {
    let parts = [
        (field::TYPE_CODE, DataType::U8, if dtype.code == TypeCode::Bool { 1 } else { dtype.code as i64 }),
        (field::TYPE_BITS, DataType::U8, if dtype.is_bool() { 1 } else { i64::from(dtype.bits) }),
        (field::TYPE_LANES, DataType::U16, i64::from(dtype.lanes)),
    ];
    let mut all: Option<Expr> = None;
    for (field, own, value) in parts {
        let fits = equal(&get(tensor, 0, field, own), &Expr::int(value, own))?;
        all = Some(match all {
            None => fits,
            Some(others) => typed(Expr::binary(BinOp::And, &others, &fits))?,
        });
    }
    Ok(all.unwrap_or_else(|| Expr::bool(true)))
}

/// Where values that are returned go.
struct Results<'a> {
    value: &'a Var,
    code: &'a Var,
}

impl Results<'_> {
    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::Evaluate(value) = &stmt.kind else { return map_below(stmt, &mut |s| self.stmt(s)) };
        let Some([value]) = value.builtin_args(Builtin::RET) else { return Ok(stmt.clone()) };
        let api = api_type(value.dtype);
        let number = match api {
            DataType::F64 => code::FLOAT,
            DataType::HANDLE => code::NULL,
            _ => code::INT,
        };
        let place = |var: &Var, dtype: DataType| {
            Buffer::new(var.name.clone(), vec![Expr::i32(1)], dtype).derive(|node| {
                node.data = var.clone();
                node.strides = vec![Expr::i32(1)];
            })
        };
        let (result, code) = (place(self.value, api), place(self.code, DataType::I32));
        let zero = || vec![Expr::i32(0)];
        let stores = Stmt::seq([
            typed(Stmt::store(&result, zero(), &typed(value.cast(api))?))?,
            typed(Stmt::store(&code, zero(), &Expr::int(number, DataType::I32)))?,
            done(),
        ]);
        Ok(nested(vec![Item::Declare(result), Item::Declare(code)], stores))
    }
}
