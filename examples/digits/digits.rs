//! Classifies the test digits with the two-layer network of `mlp.py`: the Python demo's job, in Rust alone.
//!
//! ```sh
//! cargo run --release -p tilewright --example digits
//! ```

use std::path::Path;
use std::time::Instant;

use tilewright::import::{read_idx, read_npz};
use tilewright::relax_passes::{BindParams, ParamKey};
use tilewright::{CompileOptions, PassCx, SourceFile, Tensor, VirtualMachine};

type Error = Box<dyn std::error::Error>;

/// A picture of bytes as text, in five shades.
fn draw(image: &[u8], columns: usize) -> String {
    let shade = |value: u8| [' ', '░', '▒', '▓', '█'][usize::from(value) * 5 / 256];
    let rows = image.chunks(2 * columns).map(|rows| rows[..columns].iter().map(|v| shade(*v)).collect::<String>());
    rows.map(|row| format!("    {row}\n")).collect()
}

/// The class with the highest score, and the score.
fn best(scores: &[f32]) -> (usize, f32) {
    scores
        .iter()
        .copied()
        .enumerate()
        .fold((0, f32::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
}

fn main() -> Result<(), Error> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits");
    let images = read_idx(&std::fs::read(here.join("data/test-images-idx3-ubyte.gz"))?)?;
    let labels = read_idx(&std::fs::read(here.join("data/test-labels-idx1-ubyte.gz"))?)?;
    let weights = read_npz(&std::fs::read(here.join("data/weights.npz"))?)?;

    let file = SourceFile::new("mlp.py", std::fs::read_to_string(here.join("mlp.py"))?);
    let module = tilewright::parse_module(&file)?;
    let started = Instant::now();
    let bind = BindParams::new("main", weights.into_iter().map(|(name, tensor)| (ParamKey::Name(name), tensor)));
    let module = PassCx::default().run(&bind, module)?;
    let machine = VirtualMachine::new(tilewright::compile(&module, &CompileOptions::default())?, &[])?;
    let classify = machine.function("main")?;
    println!("{}\n\nbound, compiled and loaded in {:.1?}\n", tilewright::print_module(&module), started.elapsed());

    let (pixels, labels) = (images.as_slice::<u8>()?, labels.as_slice::<u8>()?);
    let columns = usize::try_from(images.shape()[2])?;
    let size = usize::try_from(images.shape()[1])? * columns;
    let mut correct = 0;
    let started = Instant::now();
    for (i, (image, label)) in pixels.chunks_exact(size).zip(labels).enumerate() {
        let row: Vec<f32> = image.iter().map(|&v| f32::from(v) / 255.0).collect();
        let scores = classify.call(&[Tensor::from_vec(&[1, size as i64], row)?.into()])?;
        let (class, score) = best(scores.as_tensor()?.as_slice::<f32>()?);
        correct += usize::from(class == usize::from(*label));
        if i < 3 {
            println!("{}    predicted {class} with score {score:.2}; the label says {label}\n", draw(image, columns));
        }
    }
    let each = started.elapsed() / labels.len() as u32;
    let accuracy = 100.0 * correct as f64 / labels.len() as f64;
    println!("accuracy {accuracy:.2} % over {} test pictures, {each:.1?} each with its conversion", labels.len());
    Ok(())
}
