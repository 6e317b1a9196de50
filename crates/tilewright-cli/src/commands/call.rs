//! Arguments of a call from the command line: files, numbers and random values, by the function's signature.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tilewright::expr::semantics::{Scalar, cast};
use tilewright::support::{Map, nearest};
use tilewright::vm_program::{DimPattern, Function, Kind, Param};
use tilewright::{DataType, Tensor, Value};

use crate::failure::{Failure, Outcome};

#[derive(clap::Args, Debug)]
pub(crate) struct CallArguments {
    /// An argument by its parameter's name: a .npy file for a tensor, a number, or sizes such as 2,3 for a shape.
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// A .npz or .pkl file with tensors by parameter name.
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Fill the other arguments with random numbers from this seed.
    #[arg(long, value_name = "SEED")]
    random: Option<u64>,
    /// The size of a symbolic dimension, for random arguments.
    #[arg(long = "dim", value_name = "NAME=SIZE")]
    dims: Vec<String>,
    /// The numbers of a random argument: from the first one up to the second one, such as ids=0..1000. By default,
    /// floats are drawn from -1 up to 1 and integers from -10 to 10.
    #[arg(long = "range", value_name = "NAME=LOW..HIGH")]
    ranges: Vec<String>,
}

impl CallArguments {
    /// The seed of random arguments, if nothing but that is said of the arguments.
    pub(crate) fn only_seed(&self) -> Option<u64> {
        let others = [&self.inputs, &self.dims, &self.ranges];
        let is_only = self.params.is_none() && others.iter().all(|given| given.is_empty());
        is_only.then(|| self.random.unwrap_or(0))
    }

    /// The arguments of a call of this function, in order.
    pub(crate) fn values(&self, function: &Function) -> Outcome<Vec<Value>> {
        self.values_from(function, self.random)
    }

    /// As [`CallArguments::values`]; arguments that are not given are random without being asked for.
    pub(crate) fn values_or_random(&self, function: &Function, seed: u64) -> Outcome<Vec<Value>> {
        self.values_from(function, self.random.or(Some(seed)))
    }

    fn values_from(&self, function: &Function, seed: Option<u64>) -> Outcome<Vec<Value>> {
        let mut sizes = Sizes::of(function);
        for dim in &self.dims {
            sizes.set(dim)?;
        }
        let mut given = self.given(function)?;
        for param in &function.params {
            if let Some(value) = given.get(param.name.as_str()) {
                sizes.learn(&param.kind, value);
            }
        }
        let ranges = self.ranges(function)?;
        let mut random = seed.map(|state| Random { state, range: None });
        let values = function.params.iter().map(|param| match (given.remove(param.name.as_str()), &mut random) {
            (Some(value), _) => Ok(value),
            (None, Some(random)) => {
                let cannot = |why| Failure::Message(format!("cannot make up parameter `{}`: {why}", param.name));
                random.range = ranges.get(param.name.as_str()).copied();
                random.value(&param.kind, &sizes).map_err(cannot)
            }
            (None, None) => Err(Failure::Message(format!(
                "no argument for parameter `{0}`, {1}: give --input {0}=…, --params FILE.npz or --random SEED",
                param.name,
                param.kind.display(&function.slots)
            ))),
        });
        values.collect()
    }

    /// The ranges of random numbers, by parameter.
    fn ranges<'a>(&self, function: &'a Function) -> Outcome<Map<&'a str, (f64, f64)>> {
        let mut ranges = Map::default();
        for text in &self.ranges {
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let range = text.split_once('=').and_then(|(name, range)| {
                let (low, high) = range.split_once("..")?;
                Some((name, (number(low)?, number(high)?)))
            });
            let Some((name, range)) = range.filter(|(_, (low, high))| low < high) else {
                return Err(Failure::Message(format!("expected NAME=LOW..HIGH for --range, found `{text}`")));
            };
            ranges.insert(parameter(function, name)?.name.as_str(), range);
        }
        Ok(ranges)
    }

    /// The user's values, by parameter. A file of parameters may hold more than the function takes.
    fn given<'a>(&self, function: &'a Function) -> Outcome<Map<&'a str, Value>> {
        let mut given = Map::default();
        if let Some(path) = &self.params {
            let tensors = tilewright::import::read_tensors(&read_bytes(path)?);
            for (name, tensor) in tensors.map_err(|error| Failure::of_file(path, error))? {
                if let Some(param) = function.params.iter().find(|param| param.name == name) {
                    given.insert(param.name.as_str(), Value::from(tensor));
                }
            }
        }
        for input in &self.inputs {
            let Some((name, text)) = input.split_once('=') else {
                return Err(Failure::Message(format!("expected NAME=VALUE for --input, found `{input}`")));
            };
            let param = parameter(function, name)?;
            given.insert(param.name.as_str(), read_value(param, text)?);
        }
        Ok(given)
    }
}

fn parameter<'a>(function: &'a Function, name: &str) -> Outcome<&'a Param> {
    function.params.iter().find(|param| param.name == name).ok_or_else(|| {
        let known: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its parameters are {}", known.join(", ")),
        };
        Failure::Message(format!("function `{}` has no parameter `{name}`: {hint}", function.name))
    })
}

/// An argument as it is written on the command line.
fn read_value(param: &Param, text: &str) -> Outcome<Value> {
    let wrong =
        |expected: &str| Failure::Message(format!("parameter `{}` takes {expected}, found `{text}`", param.name));
    match &param.kind {
        Kind::Prim { dtype: DataType::BOOL, .. } => text.parse().map(Value::Bool).map_err(|_| wrong("true or false")),
        Kind::Prim { dtype, .. } if dtype.is_float() => text.parse().map(Value::Float).map_err(|_| wrong("a number")),
        Kind::Prim { .. } => text.parse().map(Value::Int).map_err(|_| wrong("an integer")),
        Kind::Shape { .. } => {
            let sizes: Result<Vec<i64>, _> =
                text.split(',').filter(|size| !size.is_empty()).map(|size| size.trim().parse()).collect();
            sizes.map(|sizes| Value::shape(&sizes)).map_err(|_| wrong("sizes such as 2,3"))
        }
        Kind::Tensor { .. } | Kind::Tuple(_) | Kind::Object | Kind::Function => {
            let path = Path::new(text);
            let tensor = tilewright::import::read_npy(&read_bytes(path)?);
            tensor.map(Value::from).map_err(|error| Failure::of_file(path, error))
        }
    }
}

fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| Failure::file("read", path, &error))
}

/// The slots that the dimensions of a parameter give their values.
fn add_slots(kind: &Kind, found: &mut BTreeSet<usize>) {
    let dims = match kind {
        Kind::Tensor { dims: Some(dims), .. } | Kind::Shape { dims: Some(dims) } => dims.as_slice(),
        Kind::Tuple(fields) => return fields.iter().for_each(|field| add_slots(field, found)),
        Kind::Prim { value, .. } => std::slice::from_ref(value),
        Kind::Tensor { .. } | Kind::Shape { .. } | Kind::Object | Kind::Function => return,
    };
    found.extend(dims.iter().filter_map(|dim| match dim {
        DimPattern::Slot(slot) => Some(*slot as usize),
        DimPattern::Const(_) | DimPattern::Any => None,
    }));
}

/// The known values of the function's symbolic dimensions.
struct Sizes<'a> {
    names: &'a [String],
    /// Which of them the parameters have: the others are worked out when the function runs.
    given: BTreeSet<usize>,
    known: Vec<Option<i64>>,
}

impl<'a> Sizes<'a> {
    fn of(function: &'a Function) -> Self {
        let mut given = BTreeSet::new();
        function.params.iter().for_each(|param| add_slots(&param.kind, &mut given));
        Self { names: &function.slots, given, known: vec![None; function.slots.len()] }
    }

    /// Reads `NAME=SIZE`.
    fn set(&mut self, text: &str) -> Outcome {
        let size = text.split_once('=').and_then(|(name, size)| Some((name, size.parse::<i64>().ok()?)));
        let Some((name, size)) = size.filter(|(_, size)| *size >= 0) else {
            return Err(Failure::Message(format!("expected NAME=SIZE for --dim, found `{text}`")));
        };
        let mut slots = self.given.iter().filter_map(|&slot| Some((slot, self.names.get(slot)?.as_str())));
        if let Some((slot, _)) = slots.clone().find(|(_, known)| *known == name) {
            self.known[slot] = Some(size);
            return Ok(());
        }
        let only = match slots.next() {
            None => "nor any other".to_owned(),
            Some((_, first)) => format!("only {}", slots.fold(first.to_owned(), |all, (_, one)| all + ", " + one)),
        };
        Err(Failure::Message(format!("there is no symbolic dimension `{name}`, {only}")))
    }

    /// Takes sizes from an argument. One that does not fit is left for the machine to refuse.
    fn learn(&mut self, kind: &Kind, value: &Value) {
        let (dims, shape): (_, &[i64]) = match (kind, value) {
            (Kind::Tensor { dims: Some(dims), .. }, Value::Tensor(tensor)) => (dims, tensor.shape()),
            (Kind::Shape { dims: Some(dims) }, Value::Shape(shape)) => (dims, shape),
            _ => return,
        };
        for (dim, &size) in dims.iter().zip(shape) {
            if let DimPattern::Slot(slot) = dim
                && let Some(known) = self.known.get_mut(*slot as usize)
            {
                known.get_or_insert(size);
            }
        }
    }

    fn shape(&self, dims: Option<&[DimPattern]>) -> Result<Vec<i64>, String> {
        let size = |dim: &DimPattern| match dim {
            DimPattern::Const(size) => Ok(*size),
            DimPattern::Any => Err("its shape is not known: give it with --input".to_owned()),
            DimPattern::Slot(slot) => self.known.get(*slot as usize).copied().flatten().ok_or_else(|| {
                let name = self.names.get(*slot as usize).map_or("?", String::as_str);
                format!("the size of `{name}` is not known: give --dim {name}=SIZE")
            }),
        };
        dims.ok_or("its rank is not known: give it with --input")?.iter().map(size).collect()
    }
}

/// A small generator of numbers (SplitMix64): the same seed gives the same arguments everywhere.
struct Random {
    state: u64,
    /// The numbers of the present argument, where that is not left to its type.
    range: Option<(f64, f64)>,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Floats in [-1, 1), integers in [-10, 10], bools; or numbers of the range.
    fn value(&mut self, kind: &Kind, sizes: &Sizes<'_>) -> Result<Value, String> {
        match kind {
            Kind::Tensor { dtype: Some(dtype), dims, .. } => self.tensor(*dtype, &sizes.shape(dims.as_deref())?),
            Kind::Tensor { dtype: None, .. } => Err("its element type is not known: give it with --input".to_owned()),
            Kind::Prim { dtype, .. } => {
                let scalar = self.scalar(*dtype);
                Ok(match *dtype {
                    DataType::BOOL => Value::Bool(scalar.as_int() != 0),
                    dtype if dtype.is_float() => Value::Float(scalar.as_float()),
                    _ => Value::Int(scalar.as_int()),
                })
            }
            Kind::Shape { dims } => sizes.shape(dims.as_deref()).map(|shape| Value::shape(&shape)),
            Kind::Tuple(fields) => {
                let fields = fields.iter().map(|field| self.value(field, sizes)).collect::<Result<Vec<_>, _>>()?;
                Ok(Value::tuple(fields))
            }
            Kind::Object | Kind::Function => Err("it can be anything: give it with --input".to_owned()),
        }
    }

    fn tensor(&mut self, dtype: DataType, shape: &[i64]) -> Result<Value, String> {
        let mut tensor = Tensor::zeros(dtype, shape).map_err(|error| error.to_string())?;
        let width = dtype.element_bytes().max(1);
        let count = tensor.num_elements();
        let mut bytes = Vec::with_capacity(tensor.num_bytes());
        for _ in 0..count {
            bytes.extend_from_slice(&self.scalar(dtype).bits().to_le_bytes()[..width]);
        }
        if count > 0 {
            tensor = Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string())?;
        }
        Ok(tensor.into())
    }

    fn scalar(&mut self, dtype: DataType) -> Scalar {
        let unit = (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let value = match self.range {
            Some((low, high)) if dtype.is_float() => low + (high - low) * (unit + 1.0) / 2.0,
            Some((low, high)) => (low + (high - low) * (unit + 1.0) / 2.0).floor(),
            None if dtype.is_float() => unit,
            None => (unit * 10.0).round(),
        };
        cast(Scalar::from_float(value, DataType::F64), dtype)
    }
}
