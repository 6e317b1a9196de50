//! How large tensors can become.

use tilewright_arith::Analyzer;
use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::relax::{Function, StructInfo, Var};

/// The function attribute with the greatest values of symbolic dimensions, by name: `{"n": 1024}`.
pub(super) const UPPER_BOUNDS: &str = "tir_var_upper_bound";

/// Larger tensors get memory of their own, so that sums of sizes cannot overflow.
const MAX_TENSOR_BYTES: i64 = 1 << 40;

/// The known bounds of the symbolic dimensions of one function.
pub(super) struct Sizes(Analyzer);

impl Sizes {
    pub(super) fn of(function: &Function) -> Self {
        let mut analyzer = Analyzer::new();
        let mut dims = Vec::new();
        walk(function, |var: &Var| bare_dims(&var.struct_info, &mut dims));
        let bounds = match function.attrs.get(UPPER_BOUNDS) {
            Some(Attr::Map(bounds)) => Some(bounds),
            _ => None,
        };
        walk(function, |var: &scalar::Var| {
            let max = bounds.and_then(|bounds| bounds.get(&*var.name)).and_then(Attr::as_int);
            // Only dimensions are known to be non-negative.
            let least = dims.contains(var).then_some(0);
            if max.is_some() || least.is_some() {
                analyzer.bind_bounds(var, least, max);
            }
        });
        Self(analyzer)
    }

    /// An upper bound of the bytes of a tensor; `None` if it is unknown, or too large to plan.
    pub(super) fn bytes(&self, info: &StructInfo) -> Option<i64> {
        let element = i64::try_from(info.dtype()?.bytes()).ok()?;
        let max = |dim: &scalar::Expr| dim.as_int().or_else(|| self.0.bounds(dim).max).map(|max| max.max(0));
        let dims = info.dims()?;
        let bytes = dims.iter().try_fold(element, |bytes, dim| bytes.checked_mul(max(dim)?))?;
        // The bytes of a tensor with a shape are not 0.
        let bytes = if dims.iter().all(|dim| dim.as_int().is_some()) { bytes } else { bytes.max(1) };
        (bytes <= MAX_TENSOR_BYTES).then_some(bytes)
    }
}

/// The variables that are by themselves a dimension of a tensor or shape.
fn bare_dims(info: &StructInfo, found: &mut Vec<scalar::Var>) {
    match info {
        StructInfo::Tuple(fields) => fields.iter().for_each(|field| bare_dims(field, found)),
        _ => {
            for var in info.dims().unwrap_or_default().iter().filter_map(scalar::Expr::as_var) {
                if !found.contains(var) {
                    found.push(var.clone());
                }
            }
        }
    }
}
