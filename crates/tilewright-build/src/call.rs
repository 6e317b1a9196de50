//! Calls of kernels: which tensors and which numbers a kernel gets, and that they are what its code relies on.
//!
//! A kernel knows the extents of its tensors from its symbolic dimensions alone, so that an argument of another shape
//! would let it read and write outside. What the arguments' struct infos prove needs no check; the rest is matched by
//! the machine in front of the call.

use tilewright_expr as scalar;
use tilewright_expr::node::rewrite;
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_ir::tir::Buffer;
use tilewright_support::Map;
use tilewright_vm_program::{Dim, DimPattern, Kind, Reg, Scalar};

use crate::emit::{Emitter, Result, refuse};
use crate::kernels::Entry;

/// What is known of a kernel's symbolic dimensions.
#[derive(Default)]
struct Known {
    dims: Map<scalar::Var, Dim>,
    /// The same in the caller's words, where they have any.
    exprs: Map<scalar::Var, scalar::Expr>,
}

impl Emitter<'_, '_> {
    /// Emits the call of the kernel of the PrimFunc `name`, and gives what it returns.
    pub(crate) fn call_kernel(&mut self, name: &str, entry: &Entry, args: &[Expr]) -> Result<Option<Reg>> {
        let returned = self.returned_tensors(entry);
        let mut tensors = Vec::new();
        for tensor in entry.interface.tensors.iter().filter(|tensor| tensor.param < entry.params) {
            let Some(arg) = args.get(tensor.param) else { return refuse(format!("too few arguments for `{name}`")) };
            tensors.push((tensor.param, &tensor.buffer, &arg.struct_info, self.value(arg)?));
        }
        let mut known = Known::default();
        for &(position, buffer, info, reg) in &tensors {
            self.learn(&mut known, buffer, info, reg, &format!("argument {position} of `{name}`"))?;
        }
        let mut scalars = Vec::new();
        for parameter in &entry.interface.scalars {
            let var = &parameter.var;
            scalars.push(match parameter.param {
                Some(param) => {
                    let Some(arg) = args.get(param) else { return refuse(format!("too few arguments for `{name}`")) };
                    let given = self.scalar_argument(arg)?;
                    if entry.in_shapes(var) {
                        let label = format!("argument {param} of `{name}`");
                        self.agree(&mut known, var, arg, given, &label);
                    }
                    given
                }
                None => match known.dims.get(var) {
                    Some(dim) => Scalar::Dim(*dim),
                    None => return refuse(format!("no argument tells the value of symbolic dimension `{}`", var.name)),
                },
            });
        }
        let cx = InferCx::default();
        for &(position, buffer, info, reg) in &tensors {
            if !known.proves(&cx, buffer, info) {
                let kind = self.in_kernel(&mut known, |emitter| emitter.kind(&info_of(buffer), false))?;
                let kind = self.kind_on_device_of(kind, reg);
                self.code.match_kind(reg, kind, format!("argument {position} of `{name}`"));
            }
        }
        let mut tensors: Vec<Reg> = tensors.iter().map(|(_, _, _, reg)| *reg).collect();
        tensors.extend(&returned);
        self.call_on_device(entry, &tensors, &scalars);
        Ok(self.returned_value(&returned))
    }

    /// A dimension that is a bare variable is the argument's dimension in the same place.
    fn learn(&mut self, known: &mut Known, buffer: &Buffer, info: &StructInfo, reg: Reg, label: &str) -> Result<()> {
        let Some(dims) = info.dims().filter(|dims| dims.len() == buffer.rank()) else {
            let kind = self.in_kernel(known, |emitter| emitter.kind(&info_of(buffer), true))?;
            let kind = self.kind_on_device_of(kind, reg);
            self.code.match_kind(reg, kind, label);
            return Ok(());
        };
        for (expected, given) in buffer.shape.iter().zip(dims) {
            if let Some(var) = expected.as_var()
                && !known.dims.contains_key(var)
            {
                let dim = self.dim(given)?;
                known.dims.insert(var.clone(), dim);
                known.exprs.insert(var.clone(), given.clone());
            }
        }
        Ok(())
    }

    fn scalar_argument(&mut self, arg: &Expr) -> Result<Scalar> {
        match &arg.kind {
            ExprKind::Prim(value) if value.dtype.is_int() => Ok(Scalar::Dim(self.dim(value)?)),
            _ => Ok(Scalar::Reg(self.value(arg)?)),
        }
    }

    /// A scalar argument that stands in shapes has the value that it has there.
    fn agree(&mut self, known: &mut Known, var: &scalar::Var, arg: &Expr, given: Scalar, label: &str) {
        let dim = match given {
            Scalar::Dim(dim) => dim,
            Scalar::Reg(reg) => self.read_dim(var, reg),
        };
        match known.dims.get(var) {
            Some(expected) if *expected == dim => {}
            Some(expected) => {
                let value = self.code.make_scalar(var.dtype, dim);
                let pattern = match *expected {
                    Dim::Const(size) => DimPattern::Const(size),
                    Dim::Slot(slot) => DimPattern::Slot(slot),
                };
                self.code.match_kind(value, Kind::Prim { dtype: var.dtype, value: pattern }, label);
            }
            None => {
                known.dims.insert(var.clone(), dim);
                if let ExprKind::Prim(value) = &arg.kind {
                    known.exprs.insert(var.clone(), value.clone());
                }
            }
        }
    }

    /// Runs `inside` where symbolic dimensions are the kernel's own.
    fn in_kernel<T>(&mut self, known: &mut Known, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.swap_dims(&mut known.dims);
        let result = inside(self);
        self.swap_dims(&mut known.dims);
        result
    }
}

impl Known {
    /// Whether a tensor of this struct info certainly is what the buffer says.
    fn proves(&self, cx: &InferCx, buffer: &Buffer, info: &StructInfo) -> bool {
        let same = |(expected, given): (&scalar::Expr, &scalar::Expr)| {
            let mut open = false;
            let expected = rewrite(expected, |e: &scalar::Expr| {
                let value = self.exprs.get(e.as_var()?);
                open |= value.is_none();
                value.cloned()
            })
            .unwrap_or_else(|| expected.clone());
            !open && cx.analyzer.prove_equal(&expected, given)
        };
        info.dtype() == Some(buffer.dtype)
            && info.dims().is_some_and(|dims| dims.len() == buffer.rank() && buffer.shape.iter().zip(dims).all(same))
    }
}

fn info_of(buffer: &Buffer) -> StructInfo {
    StructInfo::tensor_with(TensorShape::Known(buffer.shape.clone()), Some(buffer.dtype))
}
