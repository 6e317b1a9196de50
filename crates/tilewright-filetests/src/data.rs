//! Arguments of run lines: written out, or random from a seed.

use tilewright::expr::node::{rewrite, walk};
use tilewright::expr::semantics::Scalar;
use tilewright::expr::{Expr, Var};
use tilewright::ir::relax::StructInfo;
use tilewright::support::{Diagnostic, Diagnostics};
use tilewright::tensor::TypeCode;
use tilewright::{DataType, GlobalFunc, IRModule, Tensor};
use tilewright_interp::Random;

/// How random values are made.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) seed: u64,
    /// Mixes in zeros, NaN, infinities and extremes.
    pub(crate) special: bool,
    /// Symbolic dimensions by name.
    pub(crate) dims: Vec<(String, i64)>,
}

/// One argument.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Tensor(Tensor),
    Scalar(Scalar),
}

impl Values {
    /// Random tensors for parameters of a graph function.
    pub(crate) fn for_params(
        module: &IRModule,
        function: &str,
        params: &[String],
    ) -> Result<Vec<(String, Tensor)>, Diagnostics> {
        let values = Self { seed: 1, special: false, dims: Vec::new() };
        let wrong = |message: String| Diagnostics::from(Diagnostic::error("TW0702", message));
        let infos = signature(module, function).map_err(wrong)?;
        let mut random = Random::new(values.seed);
        params
            .iter()
            .map(|name| {
                let info = infos.iter().find(|(known, _)| known == name).map(|(_, info)| info);
                let info = info.ok_or_else(|| wrong(format!("`{function}` has no parameter `{name}`")))?;
                match values.of_info(&mut random, info).map_err(wrong)? {
                    Argument::Tensor(tensor) => Ok((name.clone(), tensor)),
                    Argument::Scalar(_) => Err(wrong(format!("parameter `{name}` is no tensor"))),
                }
            })
            .collect()
    }

    /// Random arguments for every parameter of a function.
    pub(crate) fn for_function(&self, module: &IRModule, function: &str) -> Result<Vec<Argument>, String> {
        let mut random = Random::new(self.seed);
        signature(module, function)?.iter().map(|(_, info)| self.of_info(&mut random, info)).collect()
    }

    fn of_info(&self, random: &mut Random, info: &StructInfo) -> Result<Argument, String> {
        match info {
            StructInfo::Tensor { dtype: Some(dtype), .. } => {
                let dims = info.dims().ok_or("a parameter of unknown shape needs its argument written out")?;
                let shape = dims.iter().map(|dim| self.dim(dim)).collect::<Result<Vec<_>, _>>()?;
                self.tensor(random, *dtype, &shape).map(Argument::Tensor)
            }
            StructInfo::Prim { dtype, value } => {
                let named = value.as_ref().and_then(Expr::as_var).and_then(|var| self.named(var));
                Ok(Argument::Scalar(match named {
                    Some(value) => Scalar::from_int(value, *dtype),
                    None => self.scalar(random, *dtype),
                }))
            }
            _ => Err("only tensors and scalars are made; write the arguments out".to_owned()),
        }
    }

    fn named(&self, var: &Var) -> Option<i64> {
        self.dims.iter().find(|(name, _)| **name == *var.name).map(|(_, value)| *value)
    }

    pub(crate) fn dim(&self, dim: &Expr) -> Result<i64, String> {
        let mut missing = None;
        walk(dim, |e: &Expr| {
            if let Some(var) = e.as_var()
                && self.named(var).is_none()
            {
                missing = Some(var.name.clone());
            }
        });
        if let Some(name) = missing {
            return Err(format!("the run line does not say what `{name}` is: add `{name}=3`"));
        }
        let numbers = |e: &Expr| e.as_var().and_then(|var| self.named(var)).map(|value| Expr::int(value, e.dtype));
        let dim = rewrite(dim, numbers).unwrap_or_else(|| dim.clone());
        let simplified = tilewright::arith::Analyzer::default().simplify(&dim);
        simplified.as_int().ok_or_else(|| "a dimension that is no number".to_owned())
    }

    pub(crate) fn tensor(&self, random: &mut Random, dtype: DataType, shape: &[i64]) -> Result<Tensor, String> {
        let empty = Tensor::zeros(dtype, shape).map_err(|error| error.to_string())?;
        if dtype.is_packed() {
            let mut bytes: Vec<u8> = (0..empty.num_bytes()).map(|_| random.below(256) as u8).collect();
            // The upper half of the last byte of an odd number of elements is zero.
            if let (1, Some(last)) = (empty.num_elements() % 2, bytes.last_mut()) {
                *last &= 0x0F;
            }
            return Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string());
        }
        let size = dtype.element_bytes();
        let mut bytes = Vec::with_capacity(empty.num_bytes());
        for _ in 0..empty.num_elements() {
            bytes.extend_from_slice(&self.scalar(random, dtype).bits().to_le_bytes()[..size]);
        }
        Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string())
    }

    /// Small values, so that products stay exact enough to compare; one in four is special on request.
    fn scalar(&self, random: &mut Random, dtype: DataType) -> Scalar {
        let special = self.special && random.below(4) == 0;
        match dtype.code {
            TypeCode::Bool => Scalar::from_bool(random.below(2) == 1),
            TypeCode::Float | TypeCode::BFloat if special => {
                let values = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40, 3e38, -3e38];
                Scalar::from_float(values[random.below(values.len())], dtype)
            }
            TypeCode::Float | TypeCode::BFloat => {
                Scalar::from_float((random.below(4001) as f64 - 2000.0) / 1000.0, dtype)
            }
            _ if special => {
                let ones = u64::MAX;
                let values = [0, 1, ones, ones >> 1, 1 << (dtype.bits - 1), (1 << (dtype.bits - 1)) - 1];
                Scalar::from_bits(dtype, values[random.below(values.len())])
            }
            _ => Scalar::from_int(random.below(17) as i64 - if dtype.is_signed() { 8 } else { 0 }, dtype),
        }
    }
}

/// Names and infos of a function's parameters.
pub(crate) fn signature(module: &IRModule, function: &str) -> Result<Vec<(String, StructInfo)>, String> {
    match module.get(function) {
        Some(GlobalFunc::Relax(f)) => {
            Ok(f.params.iter().map(|param| (param.name.to_string(), param.struct_info.clone())).collect())
        }
        Some(GlobalFunc::Prim(f)) => Ok(f
            .params
            .iter()
            .map(|param| {
                let info = match &param.buffer {
                    Some(buffer) => StructInfo::tensor(buffer.shape.clone(), buffer.dtype),
                    None => StructInfo::Prim { dtype: param.var.dtype, value: Some(Expr::var(&param.var)) },
                };
                (param.var.name.to_string(), info)
            })
            .collect()),
        None => Err(format!("the module has no function `{function}`")),
    }
}

/// The declared type of an argument.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    dtype: DataType,
    /// `None`: a scalar.
    shape: Option<Vec<i64>>,
    /// `None`: random.
    values: Option<Vec<f64>>,
}

impl Spec {
    /// Reads `f32[2,3]`, `f32[2]=[1, nan]`, `i64=3`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (kind, values) = match text.split_once('=') {
            Some((kind, values)) => (kind.trim(), Some(values.trim())),
            None => (text.trim(), None),
        };
        let (name, shape) = match kind.split_once('[') {
            Some((name, dims)) => {
                let dims = dims.strip_suffix(']').ok_or_else(|| format!("`{kind}` lacks its `]`"))?;
                (name, Some(list(dims, |d| d.parse().map_err(|_| format!("`{d}` is no dimension")))?))
            }
            None => (kind, None),
        };
        let number = |v: &str| match v {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            v => v.parse::<f64>().map_err(|_| format!("`{v}` is no number")),
        };
        let values =
            values.map(|values| list(values.trim_start_matches('[').trim_end_matches(']'), number)).transpose()?;
        Ok(Self { dtype: dtype(name)?, shape, values })
    }

    pub(crate) fn argument(&self, values: &Values, random: &mut Random) -> Result<Argument, String> {
        let scalar = |value: f64| match self.dtype.code {
            TypeCode::Bool => Scalar::from_bool(value != 0.0),
            TypeCode::Float | TypeCode::BFloat => Scalar::from_float(value, self.dtype),
            _ => Scalar::from_int(value as i64, self.dtype),
        };
        let Some(shape) = &self.shape else {
            return Ok(Argument::Scalar(match self.values.as_deref() {
                Some([value]) => scalar(*value),
                Some(_) => return Err("a scalar has one value".to_owned()),
                None => values.scalar(random, self.dtype),
            }));
        };
        let Some(elements) = &self.values else {
            return values.tensor(random, self.dtype, shape).map(Argument::Tensor);
        };
        let size = self.dtype.element_bytes();
        let bytes: Vec<u8> = elements.iter().flat_map(|v| scalar(*v).bits().to_le_bytes()[..size].to_vec()).collect();
        Tensor::from_bytes(self.dtype, shape, &bytes).map(Argument::Tensor).map_err(|error| error.to_string())
    }
}

fn list<T>(text: &str, item: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(item).collect()
}

/// A data type by its short name.
fn dtype(name: &str) -> Result<DataType, String> {
    let long = match name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len())) {
        ("f", bits) => format!("float{bits}"),
        ("bf", bits) => format!("bfloat{bits}"),
        ("i", bits) => format!("int{bits}"),
        ("u", bits) => format!("uint{bits}"),
        _ => name.to_owned(),
    };
    long.parse::<DataType>().ok().filter(|d| !d.is_handle()).ok_or_else(|| format!("unknown data type `{name}`"))
}
