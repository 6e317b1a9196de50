//! Checking values against what a function takes. Messages are made only when something is wrong.

use std::fmt::Write;

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Tensor, TypeCode, bf16, f16};
use tilewright_vm_program::{DeviceIndex, DimPattern, Function, Instruction, Kind, MAX_NESTING};

use crate::device::Device;
use crate::error::{Error, ErrorKind};
use crate::external_symbols::round_to_odd;
use crate::scalar;
use crate::value::Value;

/// No dimension is larger: as many bytes are more than a process can address.
const LARGEST_DIMENSION: i64 = 1 << 47;

/// Values of slots; absent until something gives them one.
pub(crate) type Slots = [Option<i64>];

/// What values are matched for.
#[derive(Clone, Copy)]
pub(crate) struct MatchCx<'a> {
    pub(crate) function: &'a Function,
    /// How many of the function's parameters are what a closure captured.
    pub(crate) captured: usize,
    /// The devices of the program.
    pub(crate) devices: &'a [Device],
}

/// What is wrong with a value, and where in it: `[0][1]`, empty for the value itself.
struct Problem {
    path: String,
    message: String,
}

impl Problem {
    fn of(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    fn inside(mut self, field: usize) -> Self {
        self.path.insert_str(0, &format!("[{field}]"));
        self
    }
}

type Check = Result<(), Problem>;

impl MatchCx<'_> {
    /// Matches a function's arguments, as many as it has parameters; slots get their values.
    pub(crate) fn arguments(self, args: &[Value], slots: &mut Slots) -> Result<(), Error> {
        for (index, (param, value)) in self.function.params.iter().zip(args).enumerate() {
            if let Err(Problem { path, message }) = self.value(&param.kind, value, slots) {
                let argument = self.parameter(index, &param.name, &path);
                return Err(ErrorKind::Argument { function: self.function.name.clone(), argument, message }.into());
            }
        }
        Ok(())
    }

    /// A parameter in the words of the caller, who does not see what was captured.
    fn parameter(self, index: usize, name: &str, path: &str) -> String {
        match index.checked_sub(self.captured) {
            Some(index) => format!("argument {index} (\"{name}\"{path})"),
            None => format!("captured \"{name}\"{path}"),
        }
    }

    /// Matches a value inside the function, which the label names; the error is a message.
    pub(crate) fn labelled(self, kind: &Kind, value: &Value, label: &str, slots: &mut Slots) -> Result<(), String> {
        self.value(kind, value, slots).map_err(|Problem { path, message }| match path.is_empty() {
            true => format!("{label}: {message}"),
            false => format!("{label}, at {path}: {message}"),
        })
    }

    fn value(self, kind: &Kind, value: &Value, slots: &mut Slots) -> Check {
        match (kind, value) {
            (Kind::Object, value) if value.depth() <= MAX_NESTING => Ok(()),
            (Kind::Object, _) => Err(Problem::of(format!("values are nested deeper than {MAX_NESTING}"))),
            (Kind::Tensor { dtype, dims, device }, Value::Tensor(tensor)) => {
                self.tensor(*dtype, *device, tensor)?;
                self.dims(dims.as_deref(), tensor.shape(), slots)
            }
            (Kind::Shape { dims }, Value::Shape(shape)) => self.dims(dims.as_deref(), shape, slots),
            // Who calls from a language without shapes hands over a tuple of integers.
            (Kind::Shape { dims }, Value::Tuple(items)) => {
                let sizes = items.iter().map(|item| match item {
                    Value::Int(size) => Ok(*size),
                    other => Err(Problem::of(format!("expected a shape, found a tuple with {}", other.kind_name()))),
                });
                self.dims(dims.as_deref(), &sizes.collect::<Result<Vec<_>, _>>()?, slots)
            }
            (Kind::Prim { dtype, value: pattern }, value) => self.scalar(*dtype, *pattern, value, slots),
            (Kind::Tuple(fields), Value::None) if fields.is_empty() => Ok(()),
            (Kind::Tuple(fields), Value::Tuple(items)) => {
                if fields.len() != items.len() {
                    let (found, expected) = (items.len(), fields.len());
                    return Err(Problem::of(format!("the tuple has {found} fields, expected {expected}")));
                }
                for (index, (field, item)) in fields.iter().zip(items.iter()).enumerate() {
                    let check = match field {
                        Kind::Tuple(_) => with_stack(|| self.value(field, item, slots)),
                        _ => self.value(field, item, slots),
                    };
                    check.map_err(|problem| problem.inside(index))?;
                }
                Ok(())
            }
            (Kind::Function, Value::Function(_) | Value::Closure(_)) => Ok(()),
            (kind, value) => {
                let expected = kind.display(&self.function.slots);
                Err(Problem::of(format!("expected {expected}, found {}", value.kind_name())))
            }
        }
    }

    fn tensor(self, dtype: Option<DataType>, device: DeviceIndex, tensor: &Tensor) -> Check {
        let expected = self.devices.get(device.0 as usize).copied().unwrap_or(Device::cpu());
        let is_there = match expected.is_host() {
            true => tensor.is_on_host(),
            false => Device::of(tensor).is_ok_and(|found| found == expected),
        };
        if !is_there {
            let found = tensor.device();
            return Err(Problem::of(format!(
                "the tensor is on {found}, expected {expected}: copy it there first, with .to({expected}) or \
                 nd.array(…, {expected})"
            )));
        }
        if let Some(expected) = dtype
            && expected != tensor.dtype()
        {
            return Err(Problem::of(format!("the elements are {}, expected {expected}", tensor.dtype())));
        }
        // Tensors with elements have none so large; products of such sizes would leave 64 bits.
        if tensor.num_elements() == 0
            && let Some(size) = tensor.shape().iter().find(|&&size| size > LARGEST_DIMENSION)
        {
            let shape = tensor.shape();
            return Err(Problem::of(format!("the dimension {size} of the empty shape {shape:?} is too large")));
        }
        if !tensor.is_contiguous() {
            let (shape, strides) = (tensor.shape(), tensor.strides());
            return Err(Problem::of(format!(
                "the tensor of shape {shape:?} with strides {strides:?} (in elements) is not contiguous: \
                 make a compact copy first, with numpy.ascontiguousarray or torch.Tensor.contiguous"
            )));
        }
        if !tensor.is_aligned() {
            let (address, dtype) = (tensor.data_ptr(), tensor.dtype());
            return Err(Problem::of(format!("the data at {address:p} are not aligned for {dtype}: make a copy first")));
        }
        Ok(())
    }

    fn dims(self, pattern: Option<&[DimPattern]>, shape: &[i64], slots: &mut Slots) -> Check {
        let Some(pattern) = pattern else { return Ok(()) };
        if pattern.len() != shape.len() {
            let (found, expected) = (shape.len(), pattern.len());
            return Err(Problem::of(format!("the shape {shape:?} has {found} dimensions, expected {expected}")));
        }
        for (axis, (dim, &size)) in pattern.iter().zip(shape).enumerate() {
            match *dim {
                DimPattern::Any => {}
                DimPattern::Const(expected) if expected == size => {}
                DimPattern::Const(expected) => {
                    return Err(Problem::of(format!(
                        "dimension {axis} is {size}, expected {expected} (the shape is {shape:?})"
                    )));
                }
                DimPattern::Slot(slot) => match &mut slots[slot as usize] {
                    Some(expected) if *expected == size => {}
                    Some(expected) => {
                        let what = format!("dimension {axis} is {size}");
                        return Err(self.contradiction(slot, &what, &expected.to_string()));
                    }
                    unknown => *unknown = Some(size),
                },
            }
        }
        Ok(())
    }

    fn scalar(self, dtype: DataType, pattern: DimPattern, value: &Value, slots: &mut Slots) -> Check {
        let number = number_of(dtype, value).map_err(Problem::of)?;
        match pattern {
            DimPattern::Any => Ok(()),
            DimPattern::Const(expected) if expected == number => Ok(()),
            DimPattern::Const(expected) => {
                let (found, expected) = (show(dtype, number), show(dtype, expected));
                Err(Problem::of(format!("the value is {found}, expected {expected}")))
            }
            DimPattern::Slot(slot) => match &mut slots[slot as usize] {
                Some(expected) if *expected == number => Ok(()),
                Some(expected) => {
                    let (found, expected) = (show(dtype, number), show(dtype, *expected));
                    Err(self.contradiction(slot, &format!("the value is {found}"), &expected))
                }
                unknown => {
                    *unknown = Some(number);
                    Ok(())
                }
            },
        }
    }

    /// A symbolic dimension that has two values: says where its first one came from.
    fn contradiction(self, slot: u32, what: &str, expected: &str) -> Problem {
        let computes = |i: &Instruction| matches!(i, Instruction::Compute { dst, .. } if *dst == slot);
        if self.function.instructions.iter().any(computes) {
            return Problem::of(format!("{what}, expected {expected}"));
        }
        let name = &self.function.slots[slot as usize];
        let mut message = format!("{what}, but {name} is {expected}");
        let names_slot = |kind: &Kind| {
            let mut found = false;
            kind.for_each_slot(&mut |other| found |= other == slot);
            found
        };
        let params = &self.function.params;
        if let Some((index, param)) = params.iter().enumerate().find(|(_, param)| names_slot(&param.kind)) {
            // Writing to a string does not fail.
            let _ = write!(message, " by {}", self.parameter(index, &param.name, ""));
            return Problem::of(message);
        }
        let first = self.function.instructions.iter().find_map(|instruction| match instruction {
            Instruction::Match { kind, label, .. } if names_slot(kind) => Some(label),
            _ => None,
        });
        if let Some(label) = first {
            let _ = write!(message, " by {label}");
        }
        Problem::of(message)
    }
}

/// A number of the type in words.
pub(crate) fn show(dtype: DataType, number: i64) -> String {
    match dtype.code {
        TypeCode::Float | TypeCode::BFloat => format!("{:?}", scalar::float(number)),
        TypeCode::Bool => (number != 0).to_string(),
        _ => number.to_string(),
    }
}

fn match_scalar(dtype: DataType, value: &Value) -> Result<(), String> {
    let fits = match (dtype.code, value) {
        (TypeCode::Bool, Value::Bool(_)) => true,
        (TypeCode::Float | TypeCode::BFloat, Value::Float(_) | Value::Int(_)) => true,
        (TypeCode::Int, Value::Int(value)) => dtype.bits >= 64 || (value >> (dtype.bits - 1)) == (value >> 63),
        (TypeCode::UInt, Value::Int(value)) => *value >= 0 && (dtype.bits >= 64 || value >> dtype.bits == 0),
        _ => return Err(format!("expected a scalar of type {dtype}, found {}", value.kind_name())),
    };
    if fits { Ok(()) } else { Err(format!("{value:?} does not fit {dtype}")) }
}

/// The number that a value of the type is, as slots hold it.
pub(crate) fn number_of(dtype: DataType, value: &Value) -> Result<i64, String> {
    match_scalar(dtype, value)?;
    Ok(match value {
        Value::Int(value) if dtype.is_float() => scalar::of_float(*value as f64, dtype),
        Value::Float(value) => scalar::of_float(*value, dtype),
        Value::Bool(value) => i64::from(*value),
        Value::Int(value) => *value,
        _ => 0,
    })
}

/// A number as a value.
pub(crate) fn value_of(dtype: DataType, number: i64) -> Result<Value, String> {
    match dtype.code {
        TypeCode::Float | TypeCode::BFloat => Ok(Value::Float(scalar::float(number))),
        TypeCode::Bool => Ok(Value::Bool(number != 0)),
        TypeCode::UInt if number < 0 => Err(format!("{} is beyond what a value of type int holds", number as u64)),
        _ => Ok(Value::Int(number)),
    }
}

/// A scalar as a kernel takes it: integers sign-extended, floats by their own bits.
pub(crate) fn scalar_bits(dtype: DataType, value: &Value) -> Result<i64, String> {
    match_scalar(dtype, value)?;
    let float = match value {
        Value::Bool(value) => return Ok(i64::from(*value)),
        Value::Int(value) if !dtype.is_float() => return Ok(*value),
        Value::Int(value) => *value as f64,
        Value::Float(value) => *value,
        _ => 0.0,
    };
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::BFloat, _) => i64::from(bf16::from_f32(round_to_odd(float)).to_bits()),
        (_, 16) => i64::from(f16::from_f32(round_to_odd(float)).to_bits()),
        (_, 32) => i64::from((float as f32).to_bits()),
        _ => float.to_bits() as i64,
    })
}

#[cfg(test)]
mod tests {
    use tilewright_vm_program::FunctionBuilder;

    use super::*;

    #[test]
    fn a_tensor_on_the_wrong_device_is_named_with_both_devices() {
        let mut function = FunctionBuilder::new("main");
        function.param("x", Kind::Object);
        let kind = Kind::Tensor { dtype: None, dims: None, device: DeviceIndex(1) };
        function.param("pair", Kind::Tuple(vec![Kind::Object, kind]));
        let function = function.finish();
        let tensor = || Value::from(Tensor::scalar(1.0f32));
        let args = [Value::None, Value::tuple([Value::None, tensor()])];
        let check = |second| {
            let devices = [Device::cpu(), second];
            MatchCx { function: &function, captured: 0, devices: &devices }.arguments(&args, &mut [])
        };
        check(Device::cpu()).unwrap();
        let expected = "main: argument 1 (\"pair\"[1]): the tensor is on cpu(0), expected cuda(2): copy it there \
                        first, with .to(cuda(2)) or nd.array(…, cuda(2))";
        assert_eq!(check(Device::cuda(2)).unwrap_err().to_string(), expected);
    }
}
