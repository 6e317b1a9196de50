//! What values have to be: struct infos → kinds, and the checks of values that nobody vouches for.

use tilewright_expr as scalar;
use tilewright_ir::relax::{StructInfo, TensorShape, Var};
use tilewright_support::with_stack;
use tilewright_vm_program::{Dim, DimPattern, Kind, MAX_NESTING, Reg};

use super::{Emitter, Result, refuse};

impl Emitter<'_, '_> {
    /// Dimensions that are no bare variables are computed from the slots once all parameters are in, and the argument
    /// is matched once more.
    pub(super) fn match_computed_dims(&mut self, params: &[Var]) -> Result<()> {
        for (index, param) in params.iter().enumerate() {
            if has_computed_dims(&param.struct_info) {
                let kind = self.kind(&param.struct_info, false)?;
                let label = format!("argument {index} (\"{}\")", param.name);
                self.code.match_kind(self.scope.registers[param], kind, label);
            }
        }
        Ok(())
    }

    /// The value is what the struct info says, or the run ends; unseen symbolic dimensions get their values from it.
    pub(super) fn match_info(&mut self, reg: Reg, info: &StructInfo, label: &str) -> Result<()> {
        let kind = self.kind(info, true)?;
        if kind == Kind::Object {
            return Ok(());
        }
        self.code.match_kind(reg, kind, label);
        if has_computed_dims(info) {
            let kind = self.kind(info, false)?;
            self.code.match_kind(reg, kind, label);
        }
        Ok(())
    }

    /// The same for the result of a call, of which the caller says this.
    pub(super) fn match_result(&mut self, reg: Reg, results: &[StructInfo], label: &str) -> Result<()> {
        match results {
            [] => Ok(()),
            [info] => self.match_info(reg, info, label),
            fields => self.match_info(reg, &StructInfo::Tuple(fields.to_vec()), label),
        }
    }

    /// A slot with the value of an integer in a register.
    pub(crate) fn read_dim(&mut self, var: &scalar::Var, src: Reg) -> Dim {
        let slot = self.code.slot(&var.name);
        let kind = Kind::Prim { dtype: var.dtype, value: DimPattern::Slot(slot) };
        self.code.match_kind(src, kind, format!("\"{}\"", var.name));
        Dim::Slot(slot)
    }

    /// What a value of this struct info has to be. With `define`, unseen symbolic dimensions get slots and computed
    /// ones are left open; without, computed ones become slots of their value.
    pub(crate) fn kind(&mut self, info: &StructInfo, define: bool) -> Result<Kind> {
        self.kind_inside(info, define, 0)
    }

    fn kind_inside(&mut self, info: &StructInfo, define: bool, depth: usize) -> Result<Kind> {
        Ok(match info {
            StructInfo::Object => Kind::Object,
            StructInfo::Func { .. } => Kind::Function,
            StructInfo::Prim { dtype, value: None } => Kind::prim(*dtype),
            StructInfo::Prim { dtype, value: Some(value) } => {
                Kind::Prim { dtype: *dtype, value: self.pattern(value, define)? }
            }
            StructInfo::Shape(shape) => Kind::Shape { dims: self.patterns(shape, define)? },
            StructInfo::Tensor { shape, dtype, .. } => {
                let device = self.device_of(info)?;
                Kind::Tensor { dtype: *dtype, dims: self.patterns(shape, define)?, device }
            }
            StructInfo::Tuple(_) if depth >= MAX_NESTING => {
                return refuse(format!("a tuple is nested deeper than {MAX_NESTING} levels"));
            }
            StructInfo::Tuple(fields) => {
                let fields = fields.iter().map(|field| with_stack(|| self.kind_inside(field, define, depth + 1)));
                Kind::Tuple(fields.collect::<Result<_>>()?)
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
        if let Some(var) = dim.as_var()
            && !self.scope.dims.contains_key(var)
        {
            if !define {
                return Ok(DimPattern::Any);
            }
            let slot = self.code.slot(&var.name);
            self.scope.dims.insert(var.clone(), Dim::Slot(slot));
        }
        if define && is_computed(dim) {
            return Ok(DimPattern::Any);
        }
        Ok(match self.dim(dim)? {
            Dim::Const(size) => DimPattern::Const(size),
            Dim::Slot(slot) => DimPattern::Slot(slot),
        })
    }
}

/// Whether the number is neither a constant nor a bare variable.
fn is_computed(dim: &scalar::Expr) -> bool {
    !matches!(dim.kind, scalar::ExprKind::Int(_) | scalar::ExprKind::Float(_) | scalar::ExprKind::Var(_))
}

fn has_computed_dims(info: &StructInfo) -> bool {
    match info {
        StructInfo::Tuple(fields) => with_stack(|| fields.iter().any(has_computed_dims)),
        StructInfo::Prim { value: Some(value), .. } => is_computed(value),
        _ => info.dims().is_some_and(|dims| dims.iter().any(is_computed)),
    }
}
