//! Two results of one computation: how far they are from each other, and where most.
//!
//! Deviations are told as parts of the reference's scale, which is its largest finite magnitude: rounding errors of
//! sums are in proportion to that, not to each element.

use tilewright_expr::semantics::Scalar;
use tilewright_import::onnx::model::{Model, Node, TypeProto, ValueInfo};
use tilewright_support::Set;
use tilewright_tensor::Tensor;

/// Which deviations are none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Of the scale of the reference.
    pub relative: f64,
    pub absolute: f64,
    /// In tensors of integers, as roundings differ by one: of quantised models, values that lie half-way.
    pub steps: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-4, absolute: 1e-7, steps: 0.0 }
    }
}

/// How far a tensor is from its reference.
#[derive(Clone, PartialEq, Debug)]
pub enum Deviation {
    /// Another type or another shape: both as text.
    Kind {
        found: String,
        reference: String,
    },
    Values(Distance),
}

/// The distance of the elements of two tensors of the same type and shape.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Distance {
    /// The largest difference of two elements; infinite where only one of them is a number.
    pub largest: f64,
    /// The largest finite magnitude of the reference.
    pub scale: f64,
    /// The position of the largest difference, if there is any difference.
    pub position: Option<Vec<i64>>,
    /// Both values there.
    pub found: f64,
    pub reference: f64,
    /// How many elements differ by more than the tolerance, and of how many.
    pub beyond: usize,
    pub elements: usize,
}

impl Distance {
    /// The largest difference as a part of the scale.
    pub fn relative(&self) -> f64 {
        if self.largest == 0.0 { 0.0 } else { self.largest / self.scale.max(f64::MIN_POSITIVE) }
    }
}

impl Deviation {
    /// Compares a tensor with its reference.
    ///
    /// # Errors
    /// If the elements of one of them cannot be read: tensors of devices, and such with gaps between rows.
    pub fn of(found: &Tensor, reference: &Tensor, tolerance: Tolerance) -> Result<Self, String> {
        let kind = |tensor: &Tensor| format!("{}{:?}", tensor.dtype(), tensor.shape());
        if found.dtype() != reference.dtype() || found.shape() != reference.shape() {
            return Ok(Self::Kind { found: kind(found), reference: kind(reference) });
        }
        let scale = elements(reference)?.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max);
        let steps = if found.dtype().is_float() { 0.0 } else { tolerance.steps };
        let bound = (tolerance.relative * scale).max(tolerance.absolute).max(steps);
        let mut distance = Distance { scale, elements: found.num_elements(), ..Distance::default() };
        let mut most = None;
        for (at, (a, b)) in elements(found)?.zip(elements(reference)?).enumerate() {
            let difference = difference(a, b);
            distance.beyond += usize::from(difference > bound);
            if difference > distance.largest {
                (distance.largest, distance.found, distance.reference, most) = (difference, a, b, Some(at));
            }
        }
        distance.position = most.map(|at| position(at, found.shape()));
        Ok(Self::Values(distance))
    }

    /// Whether the tensor is its reference, but for the tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        matches!(self, Self::Values(distance) if distance.beyond == 0)
    }
}

/// Equal values, infinities and values that are no number among them, have no difference.
fn difference(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0.0,
        (false, false) if a == b => 0.0,
        (false, false) => (a - b).abs(),
        _ => f64::INFINITY,
    }
}

/// The elements in row-major order. Integers above 2^53 are rounded.
fn elements(tensor: &Tensor) -> Result<impl Iterator<Item = f64>, String> {
    let dtype = tensor.dtype();
    let bytes = tensor.as_bytes().map_err(|error| error.to_string())?;
    Ok(bytes.chunks_exact(dtype.element_bytes().max(1)).map(move |chunk| {
        let mut bits = [0; 8];
        let width = chunk.len().min(8);
        bits[..width].copy_from_slice(&chunk[..width]);
        let scalar = Scalar::from_bits(dtype, u64::from_le_bytes(bits));
        if dtype.is_float() { scalar.as_float() } else { scalar.as_wide() as f64 }
    }))
}

fn position(mut at: usize, shape: &[i64]) -> Vec<i64> {
    let mut position: Vec<i64> = shape
        .iter()
        .rev()
        .map(|size| {
            let size = usize::try_from(*size).unwrap_or(1).max(1);
            let own = at % size;
            at /= size;
            own as i64
        })
        .collect();
    position.reverse();
    position
}

/// The smallest and the largest number of a tensor, and how many elements are none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub least: f64,
    pub most: f64,
    pub not_numbers: usize,
}

impl Range {
    /// The range of a tensor whose elements can be read and that has any.
    pub fn of(tensor: &Tensor) -> Option<Self> {
        let mut range = Self { least: f64::INFINITY, most: f64::NEG_INFINITY, not_numbers: 0 };
        for value in elements(tensor).ok()? {
            range.not_numbers += usize::from(value.is_nan());
            range.least = range.least.min(value);
            range.most = range.most.max(value);
        }
        (tensor.num_elements() > 0).then_some(range)
    }
}

/// A value of a model that the model keeps to itself, or one of its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Observed<'m> {
    /// The number of the node that makes it.
    pub node: usize,
    pub name: &'m str,
}

/// Makes the tensors that nodes of the graph give outputs of the model, after those that it has. All values that nodes
/// give and that are outputs afterwards are returned, in the order of the nodes, which is topological. Values inside of
/// graphs in attributes are left out, and such that are no tensors by their operator.
pub fn observe<'m>(model: &mut Model<'m>) -> Vec<Observed<'m>> {
    let mut outputs: Set<&str> = model.graph.outputs.iter().map(|output| output.name).collect();
    let mut observed = Vec::new();
    for (number, node) in model.graph.nodes.iter().enumerate() {
        for name in node.outputs.iter().copied().filter(|name| !name.is_empty()) {
            if outputs.contains(name) || gives_tensors(node) {
                observed.push(Observed { node: number, name });
            }
            if gives_tensors(node) && outputs.insert(name) {
                model.graph.outputs.push(ValueInfo { name, info: TypeProto::Unknown });
            }
        }
    }
    observed
}

fn gives_tensors(node: &Node<'_>) -> bool {
    let sequences = ["SplitToSequence", "Optional", "StringSplit", "If", "Loop", "Scan"];
    let first =
        node.op_type.starts_with("Sequence") && node.op_type != "SequenceAt" && node.op_type != "SequenceLength";
    !first && !sequences.contains(&node.op_type)
}

/// Bytes that, after those of a file of ONNX, give its model these outputs too: of a message that occurs twice, readers
/// of protocol buffers join the fields.
pub fn further_outputs(names: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<u8> {
    let field = |number: u8, bytes: &[u8], out: &mut Vec<u8>| {
        out.push(number << 3 | 2);
        let mut length = bytes.len();
        while length >= 0x80 {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(bytes);
    };
    let mut graph = Vec::new();
    for name in names {
        // `ValueInfoProto.name` is field 1, `GraphProto.output` field 12, `ModelProto.graph` field 7.
        let mut info = Vec::new();
        field(1, name.as_ref().as_bytes(), &mut info);
        field(12, &info, &mut graph);
    }
    let mut model = Vec::new();
    if !graph.is_empty() {
        field(7, &graph, &mut model);
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(found: &[f32], reference: &[f32]) -> Distance {
        let tensor = |values: &[f32]| Tensor::from_vec(&[2, 2], values.to_vec()).expect("a tensor");
        match Deviation::of(&tensor(found), &tensor(reference), Tolerance::default()).expect("host tensors") {
            Deviation::Values(distance) => distance,
            kind => panic!("{kind:?}"),
        }
    }

    #[test]
    fn the_largest_difference_has_a_position() {
        let found = distance(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.5, 4.25]);
        assert_eq!((found.position, found.largest, found.beyond), (Some(vec![1, 0]), 0.5, 2));
        assert_eq!((found.found, found.reference, found.scale), (3.0, 3.5, 4.25));
    }

    #[test]
    fn a_difference_counts_by_the_scale_of_the_tensor() {
        assert_eq!(distance(&[100.0, 0.001, 0.0, 0.0], &[100.0, 0.002, 0.0, 0.0]).beyond, 0);
        assert_eq!(distance(&[0.001; 4], &[0.001, 0.002, 0.001, 0.001]).beyond, 1);
    }

    #[test]
    fn infinities_and_values_that_are_no_number_are_compared() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert_eq!(distance(&[nan, inf, -inf, 1.0], &[nan, inf, -inf, 1.0]).largest, 0.0);
        assert_eq!(distance(&[nan, inf, 1.0, 1.0], &[1.0, -inf, 1.0, 1.0]).beyond, 2);
    }

    #[test]
    fn integers_may_be_some_steps_apart() {
        let tensor = |values: &[u8]| Tensor::from_vec(&[3], values.to_vec()).expect("a tensor");
        let beyond = |steps| {
            let tolerance = Tolerance { steps, ..Tolerance::default() };
            let found = Deviation::of(&tensor(&[9, 8, 250]), &tensor(&[9, 9, 252]), tolerance).expect("host tensors");
            let Deviation::Values(distance) = found else { panic!("{found:?}") };
            distance.beyond
        };
        assert_eq!([0.0, 1.0, 2.0].map(beyond), [2, 1, 0]);
    }

    #[test]
    fn outputs_are_added_by_bytes() {
        let long = "y".repeat(300);
        let bytes = further_outputs(["a", &long]);
        let model = Model::read(&bytes).expect("a model");
        let names: Vec<&str> = model.graph.outputs.iter().map(|output| output.name).collect();
        assert_eq!(names, ["a", &long]);
        assert!(further_outputs([""; 0]).is_empty());
    }
}
