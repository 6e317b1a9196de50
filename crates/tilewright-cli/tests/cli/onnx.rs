//! Small models of ONNX, written field by field.

use std::fs;

use crate::Folder;

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bytes(number: u64, value: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn int(number: u64, value: u64, out: &mut Vec<u8>) {
    varint(number << 3, out);
    varint(value, out);
}

fn message(fields: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    fields(&mut out);
    out
}

/// A model that takes the float tensor `x` and gives `y`.
pub(crate) struct Model {
    pub(crate) x: [u64; 2],
    /// Operator, name, inputs, output.
    pub(crate) nodes: Vec<(&'static str, &'static str, Vec<&'static str>, &'static str)>,
    pub(crate) weights: Vec<(&'static str, Vec<u64>, Vec<f32>)>,
}

impl Model {
    /// `relu(x @ w1) @ w2 + b` in four nodes.
    pub(crate) fn layers() -> Self {
        let numbers = |count: usize, seed: usize| {
            (0..count).map(|at| ((at * 37 + seed * 11) % 19) as f32 / 10.0 - 0.9).collect::<Vec<f32>>()
        };
        Self {
            x: [2, 4],
            nodes: vec![
                ("MatMul", "first", vec!["x", "w1"], "hidden"),
                ("Relu", "act", vec!["hidden"], "active"),
                ("MatMul", "second", vec!["active", "w2"], "wide"),
                ("Add", "shift", vec!["wide", "b"], "y"),
            ],
            weights: vec![
                ("w1", vec![4, 8], numbers(32, 1)),
                ("w2", vec![8, 3], numbers(24, 2)),
                ("b", vec![3], vec![0.5, -0.25, 1.0]),
            ],
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let tensor_type = |dims: &[u64]| {
            let shape = message(|out| dims.iter().for_each(|dim| bytes(1, &message(|out| int(1, *dim, out)), out)));
            let tensor = message(|out| {
                int(1, 1, out);
                bytes(2, &shape, out);
            });
            message(|out| bytes(1, &tensor, out))
        };
        let graph = message(|out| {
            for (operator, name, inputs, output) in &self.nodes {
                let node = message(|out| {
                    inputs.iter().for_each(|input| bytes(1, input.as_bytes(), out));
                    bytes(2, output.as_bytes(), out);
                    bytes(3, name.as_bytes(), out);
                    bytes(4, operator.as_bytes(), out);
                });
                bytes(1, &node, out);
            }
            bytes(2, b"graph", out);
            for (name, dims, values) in &self.weights {
                let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                let tensor = message(|out| {
                    dims.iter().for_each(|dim| int(1, *dim, out));
                    int(2, 1, out);
                    bytes(8, name.as_bytes(), out);
                    bytes(9, &raw, out);
                });
                bytes(5, &tensor, out);
            }
            let input = message(|out| {
                bytes(1, b"x", out);
                bytes(2, &tensor_type(&self.x), out);
            });
            bytes(11, &input, out);
            let output = self.nodes.last().map_or("x", |(_, _, _, output)| output);
            let rows = message(|out| int(1, self.x[0], out));
            let shape = message(|out| {
                bytes(1, &rows, out);
                bytes(1, &message(|out| bytes(2, b"columns", out)), out);
            });
            let tensor = message(|out| {
                int(1, 1, out);
                bytes(2, &shape, out);
            });
            let output = message(|out| {
                bytes(1, output.as_bytes(), out);
                bytes(2, &message(|out| bytes(1, &tensor, out)), out);
            });
            bytes(12, &output, out);
        });
        message(|out| {
            int(1, 8, out);
            bytes(7, &graph, out);
            bytes(8, &message(|out| int(2, 17, out)), out);
        })
    }

    pub(crate) fn write(&self, folder: &Folder, name: &str) {
        fs::write(folder.path(name), self.bytes()).expect("the model");
    }
}
