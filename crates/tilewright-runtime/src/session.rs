//! Sessions: a model with the names, shapes and types of its inputs and outputs.
//!
//! A session calls the function [`MAIN`] of an executable, which takes and gives tensors. Inputs have the names of its
//! parameters, outputs are `output0`, `output1`, …, unless the executable says how the model that it was compiled of
//! names them: [`ModelInfo`].

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tilewright_support::Map;
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{DimPattern, Function as FunctionBody, Kind};

use crate::error::{ErrorKind, Result};
use crate::executable::Executable;
use crate::machine::{Function, VirtualMachine};
use crate::value::Value;

/// The function that a session calls.
pub const MAIN: &str = "main";

/// The key of an executable's metadata for the names of inputs, each on a line of its own.
const INPUTS: &str = "session.inputs";
/// The same for outputs.
const OUTPUTS: &str = "session.outputs";

/// How a key of an executable's metadata begins that the model itself has.
const OF_MODEL: &str = "model.";

/// What an executable keeps of the model that it was compiled of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelInfo {
    /// The names of the inputs and outputs, in their order.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// The model's own texts by key: [`Session::metadata`].
    pub metadata: Vec<(String, String)>,
}

impl ModelInfo {
    /// The entries of an executable's metadata that say it.
    pub fn entries(&self) -> impl Iterator<Item = (String, String)> {
        let names = [(INPUTS, &self.inputs), (OUTPUTS, &self.outputs)];
        let names = names.into_iter().map(|(key, names)| (key.to_owned(), names.join("\n")));
        names.chain(self.metadata.iter().map(|(key, text)| (format!("{OF_MODEL}{key}"), text.clone())))
    }
}

/// One dimension of a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    Known(i64),
    /// Any size, the same for all dimensions of this name.
    Symbol(String),
    Any,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(size) => size.fmt(f),
            Self::Symbol(name) => f.write_str(name),
            Self::Any => f.write_str("?"),
        }
    }
}

/// An input or an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorSpec {
    pub name: String,
    pub shape: Vec<Size>,
    pub dtype: DataType,
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(Size::to_string).collect();
        write!(f, "{}: {}[{}]", self.name, self.dtype, sizes.join(", "))
    }
}

/// A model that is ready to run. Any number of threads may run it at once.
#[derive(Debug)]
pub struct Session {
    machine: VirtualMachine,
    function: Function,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    gives_tuple: bool,
}

impl Session {
    /// The session of an executable, on this machine's processor.
    ///
    /// # Errors
    /// If there is no function [`MAIN`], if it takes or gives anything but tensors of known type and rank, or if this
    /// machine cannot run it.
    pub fn new(executable: Arc<Executable>) -> Result<Self> {
        let machine = VirtualMachine::new(executable, &[])?;
        let function = machine.function(MAIN)?;
        let body = function.signature();
        let (fields, gives_tuple) = match &body.result {
            Kind::Tuple(fields) => (fields.as_slice(), true),
            one => (std::slice::from_ref(one), false),
        };
        let mut inputs = Vec::with_capacity(body.params.len());
        for param in &body.params {
            inputs.push(spec(body, param.name.clone(), &param.kind)?);
        }
        let mut outputs = Vec::with_capacity(fields.len());
        for (at, kind) in fields.iter().enumerate() {
            outputs.push(spec(body, format!("output{at}"), kind)?);
        }
        rename(&mut inputs, machine.executable(), INPUTS);
        rename(&mut outputs, machine.executable(), OUTPUTS);
        Ok(Self { machine, function, inputs, outputs, gives_tuple })
    }

    /// The session of a saved executable.
    ///
    /// # Errors
    /// As [`Executable::open`] and [`Session::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::new(Arc::new(Executable::open(path)?))
    }

    pub fn machine(&self) -> &VirtualMachine {
        &self.machine
    }

    pub fn inputs(&self) -> &[TensorSpec] {
        &self.inputs
    }

    pub fn outputs(&self) -> &[TensorSpec] {
        &self.outputs
    }

    /// The texts that the model has for whoever uses it, by key, such as the names of its classes.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.machine.executable().package().metadata.iter();
        entries.filter_map(|(key, text)| Some((key.strip_prefix(OF_MODEL)?, text.as_str())))
    }

    /// Whether the function gives a tuple, which may have one field or none.
    pub fn gives_tuple(&self) -> bool {
        self.gives_tuple
    }

    /// The outputs in order, for inputs in order.
    ///
    /// # Errors
    /// [`ErrorKind::Inputs`] with all that is wrong with the inputs, else as [`Function::call`].
    pub fn call(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        if inputs.len() != self.inputs.len() {
            let (expected, found) = (self.inputs.len(), inputs.len());
            return Err(self.refused(vec![format!("the model has {expected} inputs, {found} are given")]));
        }
        let mut args: Vec<Value> = Vec::with_capacity(inputs.len());
        for tensor in inputs {
            args.push(match tensor.is_contiguous() && tensor.is_aligned() {
                true => tensor.into(),
                false => tensor.copied()?.into(),
            });
        }
        let result = self.function.call(&args).map_err(|error| {
            let dtypes: Vec<String> = inputs.iter().map(|tensor| tensor.dtype().to_string()).collect();
            let found = dtypes.iter().zip(inputs).map(|(dtype, tensor)| (dtype.as_str(), tensor.shape()));
            let problems = self.problems(&found.map(Some).collect::<Vec<_>>());
            if problems.is_empty() { error } else { self.refused(problems) }
        })?;
        match &result {
            Value::Tuple(fields) => fields.iter().map(|field| field.as_tensor().cloned()).collect(),
            one => Ok(vec![one.as_tensor()?.clone()]),
        }
    }

    /// The outputs by name, for inputs by name, in any order. An input has the name of [`Session::inputs`].
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn run(&self, feeds: &[(&str, Tensor)]) -> Result<Vec<(String, Tensor)>> {
        let mut given: Map<&str, &Tensor> = Map::default();
        let mut problems = Vec::new();
        for (name, tensor) in feeds {
            if !self.inputs.iter().any(|spec| spec.name == *name) {
                problems.push(format!("`{name}` is no input"));
            } else if given.insert(*name, tensor).is_some() {
                problems.push(format!("`{name}` is given twice"));
            }
        }
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for spec in &self.inputs {
            match given.get(spec.name.as_str()) {
                Some(tensor) => inputs.push((*tensor).clone()),
                None => problems.push(format!("`{}` is missing: {spec}", spec.name)),
            }
        }
        if !problems.is_empty() {
            return Err(self.refused(problems));
        }
        let results = self.call(&inputs)?;
        Ok(self.outputs.iter().map(|spec| spec.name.clone()).zip(results).collect())
    }

    /// What is wrong with the data types and shapes of inputs, as many as there are: each for itself, and sizes that
    /// contradict each other. An input of which these are not known is passed over.
    pub fn problems(&self, found: &[Option<(&str, &[i64])>]) -> Vec<String> {
        let mut check = Check::default();
        for (spec, found) in self.inputs.iter().zip(found) {
            if let Some((dtype, shape)) = found {
                check.input(spec, dtype, shape);
            }
        }
        check.problems
    }

    fn refused(&self, problems: Vec<String>) -> crate::Error {
        let inputs = self.inputs.iter().map(TensorSpec::to_string).collect();
        ErrorKind::Inputs { problems, inputs }.into()
    }
}

/// Inputs, looked at one after the other.
#[derive(Default)]
struct Check<'a> {
    problems: Vec<String>,
    /// The size of a symbolic dimension, and which dimension of which input says so.
    sizes: Map<&'a str, (i64, String)>,
}

impl<'a> Check<'a> {
    fn input(&mut self, spec: &'a TensorSpec, dtype: &str, shape: &[i64]) {
        let name = &spec.name;
        if dtype != spec.dtype.to_string() {
            self.problems.push(format!("`{name}` has the data type {dtype}, {} is expected", spec.dtype));
        }
        if shape.len() != spec.shape.len() {
            let (found, expected) = (shape.len(), spec.shape.len());
            self.problems.push(format!("`{name}` has {found} dimensions, {expected} are expected: {spec}"));
            return;
        }
        for (axis, (&size, expected)) in shape.iter().zip(&spec.shape).enumerate() {
            let place = format!("dimension {axis} of `{name}`");
            match expected {
                Size::Known(expected) if size != *expected => {
                    self.problems.push(format!("{place} is {size}, {expected} is expected: {spec}"));
                }
                Size::Known(_) | Size::Any => {}
                Size::Symbol(symbol) => {
                    let (known, by) = self.sizes.entry(symbol).or_insert_with(|| (size, place.clone()));
                    if *known != size {
                        self.problems.push(format!("{place} is {size}, `{symbol}` is {known} by {by}"));
                    }
                }
            }
        }
    }
}

/// What a function takes or gives, which has to be a tensor of known type and rank.
fn spec(function: &FunctionBody, name: String, kind: &Kind) -> Result<TensorSpec> {
    let Kind::Tensor { dtype: Some(dtype), dims: Some(dims), .. } = kind else {
        let message = format!("\"{name}\" is no tensor of known type and rank: {}", kind.display(&function.slots));
        return Err(ErrorKind::Run { function: function.name.clone(), message }.into());
    };
    let size = |dim: &DimPattern| match dim {
        DimPattern::Const(size) => Size::Known(*size),
        DimPattern::Slot(slot) => Size::Symbol(slot_name(&function.slots, *slot as usize)),
        DimPattern::Any => Size::Any,
    };
    Ok(TensorSpec { name, shape: dims.iter().map(size).collect(), dtype: *dtype })
}

/// The name of a slot, which no other slot has: computed sizes may share one.
fn slot_name(names: &[String], slot: usize) -> String {
    match names.get(slot) {
        Some(name) if names.iter().filter(|other| *other == name).count() == 1 => name.clone(),
        Some(name) => format!("{name}_{slot}"),
        None => format!("s{slot}"),
    }
}

/// Gives specs the names that the executable says, if it says one for each, and no two alike.
fn rename(specs: &mut [TensorSpec], executable: &Executable, key: &str) {
    let Some(text) = executable.package().metadata.get(key) else { return };
    let names: Vec<&str> = text.split('\n').collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if names.len() != specs.len() || sorted.len() != specs.len() {
        return;
    }
    for (spec, name) in specs.iter_mut().zip(names) {
        name.clone_into(&mut spec.name);
    }
}
