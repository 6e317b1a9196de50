//! Relax functions in the machine-ready form → functions of the virtual machine.
//!
//! One pass over the bindings of a function: each variable gets a register, each symbolic dimension a slot, each call an
//! instruction. Storage becomes the function's arena: pieces lie one behind the other, as the planner sized them.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_ir::op::{Legalize, MachineOp};
use tilewright_ir::relax::{
    Binding, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Diagnostic, Map, Origins, with_stack};
use tilewright_tensor::DataType;
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_vm_program::{
    Dim, DimOp, DimPattern, FunctionBuilder, Instruction, Kind, Literal, ProgramBuilder, Reg, Storage,
};

use crate::kernels::KernelTable;

/// What the functions of a module refer to.
pub(crate) struct Tables<'a> {
    pub(crate) program: &'a mut ProgramBuilder,
    pub(crate) kernels: &'a KernelTable,
    /// Relax functions by name.
    pub(crate) functions: &'a Map<Arc<str>, u32>,
}

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// A construct that the machine cannot run (yet), or a module that is not in the form that it promises.
pub(crate) fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error("TW0601", what))
}

/// Where a storage lies in the arena.
#[derive(Clone, Copy)]
struct Piece {
    offset: u64,
    bytes: u64,
}

pub(crate) struct Emitter<'a, 'b> {
    tables: &'a mut Tables<'b>,
    pub(crate) code: FunctionBuilder,
    registers: Map<Var, Reg>,
    storages: Map<Var, Piece>,
    pub(crate) dims: Map<scalar::Var, Dim>,
    arena_bytes: u64,
}

/// Writes the function; its place is underlined in errors that have no better one.
pub(crate) fn emit_function(tables: &mut Tables<'_>, name: &str, function: &Function) -> Result<FunctionBuilder> {
    let mut emitter = Emitter::new(tables, name);
    emitter.declare(&function.params)?;
    emitter.match_computed_dims(&function.params)?;
    emitter.blocks(&function.body)?;
    let result = emitter.value(&function.body.result)?;
    // Sizes in the result's kind are computed before the function ends.
    let kind = emitter.kind(&function.ret, false)?;
    emitter.code.result(kind);
    emitter.code.ret(result);
    emitter.code.arena_bytes(emitter.arena_bytes);
    Ok(emitter.code)
}

/// Writes the function that calls a PrimFunc on the caller's own tensors.
pub(crate) fn emit_entry(tables: &mut Tables<'_>, name: &str, function: &PrimFunc) -> Result<FunctionBuilder> {
    let Some(entry) = tables.kernels.get(name) else { return refuse(format!("function `{name}` has no kernel")) };
    let StructInfo::Func { params: Some(infos), .. } = function.signature() else {
        return refuse(format!("function `{name}` has no signature"));
    };
    let mut emitter = Emitter::new(tables, name);
    let params: Vec<Var> =
        function.params.iter().zip(infos).map(|(p, info)| Var::new(p.var.name.clone(), info)).collect();
    emitter.declare(&params)?;
    for (param, declared) in function.params.iter().zip(&params) {
        let var = &param.var;
        if param.buffer.is_none() && entry.in_shapes(var) && !emitter.dims.contains_key(var) {
            let dim = emitter.read_dim(&var.name, emitter.registers[declared]);
            emitter.dims.insert(var.clone(), dim);
        }
    }
    emitter.match_computed_dims(&params)?;
    let args: Vec<Expr> = params.iter().map(Expr::var).collect();
    emitter.call_kernel(name, entry, &args)?;
    emitter.code.ret_none();
    Ok(emitter.code)
}

impl<'a, 'b> Emitter<'a, 'b> {
    fn new(tables: &'a mut Tables<'b>, name: &str) -> Self {
        Self {
            tables,
            code: FunctionBuilder::new(name),
            registers: Map::default(),
            storages: Map::default(),
            dims: Map::default(),
            arena_bytes: 0,
        }
    }
}

impl Emitter<'_, '_> {
    /// A dimension that is a bare variable gets its slot from the argument.
    fn declare(&mut self, params: &[Var]) -> Result<()> {
        for param in params {
            let kind = self.kind(&param.struct_info, true)?;
            let reg = self.code.param(&param.name, kind);
            self.registers.insert(param.clone(), reg);
        }
        Ok(())
    }

    /// Other dimensions are computed from the slots once all parameters are in, and the argument is matched once more.
    fn match_computed_dims(&mut self, params: &[Var]) -> Result<()> {
        for param in params {
            if has_computed_dims(&param.struct_info) {
                let kind = self.kind(&param.struct_info, false)?;
                self.code.match_kind(self.registers[param], kind);
            }
        }
        Ok(())
    }

    /// The value is what the struct info says, or the run ends; unseen symbolic dimensions get their values from it.
    fn match_info(&mut self, reg: Reg, info: &StructInfo) -> Result<()> {
        let kind = self.kind(info, true)?;
        self.code.match_kind(reg, kind);
        if has_computed_dims(info) {
            let kind = self.kind(info, false)?;
            self.code.match_kind(reg, kind);
        }
        Ok(())
    }

    /// A slot with the value of an integer in a register.
    pub(crate) fn read_dim(&mut self, name: &str, src: Reg) -> Dim {
        let dst = self.code.slot(name);
        self.code.push(Instruction::ReadDim { dst, src });
        Dim::Slot(dst)
    }

    /// What a value of this struct info has to be. With `define`, unseen symbolic dimensions get slots and computed ones
    /// are left open; without, computed ones become slots of their value.
    pub(crate) fn kind(&mut self, info: &StructInfo, define: bool) -> Result<Kind> {
        Ok(match info {
            StructInfo::Object | StructInfo::Func { .. } => Kind::Object,
            StructInfo::Prim { dtype, .. } => Kind::Prim(*dtype),
            StructInfo::Shape(shape) => Kind::Shape { dims: self.patterns(shape, define)? },
            StructInfo::Tensor { shape, dtype } => Kind::Tensor { dtype: *dtype, dims: self.patterns(shape, define)? },
            StructInfo::Tuple(fields) => {
                Kind::Tuple(fields.iter().map(|f| with_stack(|| self.kind(f, define))).collect::<Result<_>>()?)
            }
        })
    }

    fn patterns(&mut self, shape: &TensorShape, define: bool) -> Result<Option<Vec<DimPattern>>> {
        match shape {
            TensorShape::Unknown => Ok(None),
            TensorShape::Rank(rank) => Ok(Some(vec![DimPattern::Any; *rank])),
            TensorShape::Known(dims) => dims.iter().map(|d| self.pattern(d, define)).collect::<Result<_>>().map(Some),
        }
    }

    fn pattern(&mut self, dim: &scalar::Expr, define: bool) -> Result<DimPattern> {
        if let Some(size) = dim.as_int() {
            return Ok(DimPattern::Const(size));
        }
        if let Some(var) = dim.as_var()
            && !self.dims.contains_key(var)
        {
            if !define {
                return Ok(DimPattern::Any);
            }
            let slot = self.code.slot(&var.name);
            self.dims.insert(var.clone(), Dim::Slot(slot));
        }
        if define && dim.as_var().is_none() {
            return Ok(DimPattern::Any);
        }
        Ok(match self.dim(dim)? {
            Dim::Const(size) => DimPattern::Const(size),
            Dim::Slot(slot) => DimPattern::Slot(slot),
        })
    }

    /// The size that an integer expression over symbolic dimensions has at run time.
    pub(crate) fn dim(&mut self, expr: &scalar::Expr) -> Result<Dim> {
        use scalar::{BinOp, ExprKind as S};
        match &expr.kind {
            S::Int(value) => Ok(Dim::Const(*value)),
            S::Var(var) => match self.dims.get(var) {
                Some(dim) => Ok(*dim),
                None => refuse(format!("symbolic dimension `{}` has no value here", var.name)),
            },
            S::Cast(inner) if inner.dtype.is_int() && expr.dtype.is_int() => self.dim(inner),
            S::Binary(op, a, b) => {
                let op = match op {
                    BinOp::Add => DimOp::Add,
                    BinOp::Sub => DimOp::Sub,
                    BinOp::Mul => DimOp::Mul,
                    BinOp::FloorDiv => DimOp::FloorDiv,
                    BinOp::FloorMod => DimOp::FloorMod,
                    BinOp::Min => DimOp::Min,
                    BinOp::Max => DimOp::Max,
                    other => return refuse(format!("a size cannot be computed with {other:?} at run time")),
                };
                let (a, b) = with_stack(|| Ok((self.dim(a)?, self.dim(b)?)))?;
                Ok(self.code.compute_dim("size", op, a, b))
            }
            other => refuse(format!("a size cannot be computed at run time from {other:?}")),
        }
    }

    fn shape(&mut self, dims: &[scalar::Expr]) -> Result<Vec<Dim>> {
        dims.iter().map(|dim| self.dim(dim)).collect()
    }

    fn blocks(&mut self, seq: &SeqExpr) -> Result<()> {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            self.binding(binding).map_err(|error| locate(error, &binding.origins))?;
        }
        Ok(())
    }

    fn binding(&mut self, binding: &Binding) -> Result<()> {
        match &binding.value {
            BindingValue::MatchCast { value, struct_info } => {
                let reg = self.value(value)?;
                self.match_info(reg, struct_info)?;
                self.registers.insert(binding.var.clone(), reg);
            }
            BindingValue::Expr(value) => {
                if let Some(piece) = self.storage(value)? {
                    self.storages.insert(binding.var.clone(), piece);
                    return Ok(());
                }
                let reg = self.value(value)?;
                self.registers.insert(binding.var.clone(), reg);
            }
        }
        Ok(())
    }

    /// The piece of the arena that the expression reserves, if it is such an expression.
    fn storage(&mut self, value: &Expr) -> Result<Option<Piece>> {
        match &value.kind {
            ExprKind::Var(var) => Ok(self.storages.get(var).copied()),
            ExprKind::Call { callee: Callee::Op(op), attrs, .. }
                if matches!(op.legalize, Legalize::Machine(MachineOp::AllocStorage)) =>
            {
                let Some(bytes) = attrs.get("bytes").and_then(Attr::as_int).and_then(|b| u64::try_from(b).ok()) else {
                    return refuse("a storage needs a size of at least 0 bytes");
                };
                let offset = self.arena_bytes;
                let end = bytes.checked_next_multiple_of(TENSOR_ALIGN as u64).and_then(|b| offset.checked_add(b));
                let Some(end) = end else { return refuse("the storage of this function exceeds the address space") };
                self.arena_bytes = end;
                Ok(Some(Piece { offset, bytes }))
            }
            _ => Ok(None),
        }
    }

    /// Emits what computes the value and gives its register.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<Reg> {
        with_stack(|| match &expr.kind {
            ExprKind::Var(var) => match self.registers.get(var) {
                Some(reg) => Ok(*reg),
                None => refuse(format!("variable `{}` has no value here", var.name)),
            },
            ExprKind::Constant(constant) => match self.tables.program.constant(&constant.0) {
                Ok(index) => Ok(self.code.load_const(index)),
                Err(error) => refuse(format!("a constant cannot be stored: {error}")),
            },
            ExprKind::Tuple(fields) => {
                let regs = self.values(fields)?;
                Ok(self.code.make_tuple(&regs))
            }
            ExprKind::TupleGet { tuple, index } => {
                let reg = self.value(tuple)?;
                Ok(self.code.get_item(reg, *index as u32))
            }
            ExprKind::Shape(dims) => {
                let dims = self.shape(dims)?;
                Ok(self.code.make_shape(&dims))
            }
            ExprKind::Prim(value) => self.prim(value),
            ExprKind::Str(text) => Ok(self.code.load_literal(Literal::Str(text.to_string()))),
            ExprKind::DType(dtype) => Ok(self.code.load_literal(Literal::DataType(*dtype))),
            ExprKind::Call { callee, args, attrs, sinfo_args } => self.call(callee, args, attrs, sinfo_args),
            ExprKind::If { condition, then, otherwise } => self.conditional(condition, then, otherwise),
            ExprKind::GlobalVar(GlobalVar { name, .. }) => {
                refuse(format!("function `{name}` cannot be used as a value yet"))
            }
            ExprKind::ExternFunc(name) => refuse(format!("packed function `{name}` cannot be used as a value yet")),
            ExprKind::Function(_) => refuse("a function inside a function cannot be run yet"),
        })
    }

    fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Reg>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn prim(&mut self, value: &scalar::Expr) -> Result<Reg> {
        let literal = match &value.kind {
            scalar::ExprKind::Int(v) if value.dtype.is_bool() => Literal::Bool(*v != 0),
            scalar::ExprKind::Int(v) => Literal::Int(*v),
            scalar::ExprKind::Float(v) => Literal::Float(v.0),
            _ => return refuse("a scalar value that depends on symbolic dimensions cannot be run yet"),
        };
        Ok(self.code.load_literal(literal))
    }

    fn conditional(&mut self, condition: &Expr, then: &SeqExpr, otherwise: &SeqExpr) -> Result<Reg> {
        let condition = self.value(condition)?;
        let dst = self.code.register();
        let to_else = self.code.branch(condition);
        // What a branch binds is unknown behind it.
        let (registers, storages, dims) = (self.registers.clone(), self.storages.clone(), self.dims.clone());
        self.branch(then, dst)?;
        let to_end = self.code.goto();
        self.code.land(to_else);
        (self.registers, self.storages, self.dims) = (registers.clone(), storages.clone(), dims.clone());
        self.branch(otherwise, dst)?;
        self.code.land(to_end);
        (self.registers, self.storages, self.dims) = (registers, storages, dims);
        Ok(dst)
    }

    fn branch(&mut self, seq: &SeqExpr, dst: Reg) -> Result<()> {
        self.blocks(seq)?;
        let value = self.value(&seq.result)?;
        self.code.move_to(dst, value);
        Ok(())
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], attrs: &Attrs, results: &[StructInfo]) -> Result<Reg> {
        match callee {
            Callee::Op(op) => match op.legalize {
                Legalize::Machine(machine_op) => self.machine_op(machine_op, args, attrs),
                Legalize::PrimFunc(_) => refuse(format!("operator `{}` has not been legalised", op.name)),
            },
            Callee::Tir(global) => refuse(format!("the results of `{}` have not been allocated", global.name)),
            Callee::DpsPacked(name) => refuse(format!("the results of `{name}` have not been allocated")),
            Callee::Packed(name) => {
                let name = self.tables.program.packed(name);
                let args = self.values(args)?;
                let reg = self.code.call_packed(name, &args);
                match results {
                    [] | [StructInfo::Object] => {}
                    [info] => self.match_info(reg, info)?,
                    fields => self.match_info(reg, &StructInfo::Tuple(fields.to_vec()))?,
                }
                Ok(reg)
            }
            Callee::Value(function) => match &function.kind {
                ExprKind::GlobalVar(global) => self.call_global(global, args),
                _ => refuse("only functions of the module can be called yet"),
            },
        }
    }

    fn call_global(&mut self, global: &GlobalVar, args: &[Expr]) -> Result<Reg> {
        if let Some(&index) = self.tables.functions.get(&global.name) {
            let args = self.values(args)?;
            return Ok(self.code.call_function(index, &args));
        }
        let kernels = self.tables.kernels;
        let Some(entry) = kernels.get(&global.name) else {
            return refuse(format!("the module has no function `{}`", global.name));
        };
        self.call_kernel(&global.name, entry, args)?;
        Ok(self.code.load_literal(Literal::None))
    }

    fn machine_op(&mut self, op: MachineOp, args: &[Expr], attrs: &Attrs) -> Result<Reg> {
        let dtype = || match attrs.get("dtype") {
            Some(Attr::DType(dtype)) => Ok(*dtype),
            _ => refuse("a tensor can only be allocated with a data type"),
        };
        match op {
            MachineOp::AllocTensor => {
                let shape = self.shape_argument(args.first())?;
                Ok(self.code.alloc(dtype()?, &shape, Storage::Fresh))
            }
            MachineOp::TensorInStorage => {
                let piece = match args.first() {
                    Some(storage) => self.storage(storage)?,
                    None => None,
                };
                let Some(piece) = piece else { return refuse("a planned tensor needs a storage of this function") };
                let offset = attrs.get("offset").and_then(Attr::as_int).unwrap_or(0);
                let inside = u64::try_from(offset).ok().filter(|&o| o <= piece.bytes);
                let Some(inside) = inside else { return refuse(format!("byte {offset} lies outside its storage")) };
                let shape = self.shape_argument(args.get(1))?;
                let dtype = dtype()?;
                let kept = attrs.get("bytes").and_then(Attr::as_int).filter(|kept| *kept != 0);
                let kept = kept.map_or_else(|| constant_bytes(&shape, dtype), |kept| u64::try_from(kept).ok());
                let Some(bytes) = kept.filter(|bytes| *bytes <= piece.bytes - inside) else {
                    return refuse("a planned tensor has a known size and fits into its storage");
                };
                let storage = Storage::Arena { offset: piece.offset + inside, bytes };
                Ok(self.code.alloc(dtype, &shape, storage))
            }
            MachineOp::AllocStorage => refuse("a storage must be bound to a variable"),
            MachineOp::Kill => {
                if let Some(var) = args.first().and_then(Expr::as_var)
                    && let Some(&reg) = self.registers.get(var)
                {
                    self.code.push(Instruction::Kill { reg });
                }
                Ok(self.code.load_literal(Literal::None))
            }
        }
    }

    fn shape_argument(&mut self, arg: Option<&Expr>) -> Result<Vec<Dim>> {
        match arg.and_then(|arg| arg.struct_info.dims()) {
            Some(dims) => {
                let dims = dims.to_vec();
                self.shape(&dims)
            }
            None => refuse("a tensor can only be allocated with a shape of known rank"),
        }
    }
}

/// The bytes of a tensor, if its shape is constant and its size representable.
fn constant_bytes(shape: &[Dim], dtype: DataType) -> Option<u64> {
    shape.iter().try_fold(dtype.bytes() as u64, |bytes, dim| match dim {
        Dim::Const(size) => bytes.checked_mul(u64::try_from(*size).ok()?),
        Dim::Slot(_) => None,
    })
}

fn locate(error: Diagnostic, origins: &Origins) -> Diagnostic {
    match (&error.span, origins.first()) {
        (None, Some(span)) => error.at(span.clone()),
        _ => error,
    }
}

/// Whether a dimension is neither a constant nor a bare variable.
fn has_computed_dims(info: &StructInfo) -> bool {
    match info {
        StructInfo::Tuple(fields) => fields.iter().any(has_computed_dims),
        _ => info.dims().is_some_and(|dims| dims.iter().any(|d| d.as_int().is_none() && d.as_var().is_none())),
    }
}
