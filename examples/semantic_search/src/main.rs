//! Searches this project's documentation by meaning: the job of `search.py`, in Rust alone.
//!
//! ```sh
//! cargo run --release -p semantic-search -- FOLDER [QUESTION…]
//! ```
//!
//! `FOLDER` has the files of the model: `search.py --folder` prints where they are.

mod encoder;

use std::path::{Path, PathBuf};
use std::time::Instant;

use encoder::Encoder;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const QUESTIONS: [&str; 3] =
    ["How do I run a model from C?", "make a kernel faster by measuring", "What happens to 16-bit floats?"];

/// The beginning of the vector of a sentence, as the package's own implementation (in PyTorch) gives it.
const KNOWN: (&str, [f32; 4]) = ("This is a test.", [0.03359079, 0.01051249, -0.01749972, 0.02935165]);

struct Paragraph {
    file: String,
    line: usize,
    text: String,
}

/// The paragraphs of a file.
fn paragraphs(path: &Path, name: &str) -> Outcome<Vec<Paragraph>> {
    let (mut found, mut begin, mut lines, mut in_code) = (Vec::new(), 1, Vec::new(), false);
    let text = std::fs::read_to_string(path)?;
    for (number, line) in text.lines().chain([""]).enumerate() {
        in_code ^= line.starts_with("```");
        let is_prose =
            !in_code && !line.trim().is_empty() && !["```", "|", "#"].iter().any(|mark| line.starts_with(mark));
        if is_prose {
            lines.push(line.trim());
            continue;
        }
        let text = lines.join(" ");
        if text.len() > 40 {
            found.push(Paragraph { file: name.to_owned(), line: begin, text });
        }
        (begin, lines) = (number + 2, Vec::new());
    }
    Ok(found)
}

/// The paragraphs of the book and of the guides.
fn documentation() -> Outcome<Vec<Paragraph>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut found = Vec::new();
    for (folder, name) in [(docs.clone(), "docs"), (docs.join("book"), "docs/book")] {
        let mut files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<PathBuf>>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        files.sort();
        for path in files {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(paragraphs(&path, &format!("{name}/{file}"))?);
        }
    }
    Ok(found)
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("expected: FOLDER [QUESTION…]")?);
    let mut questions: Vec<String> = args.collect();
    if questions.is_empty() {
        questions = QUESTIONS.map(str::to_owned).to_vec();
    }
    let started = Instant::now();
    let encoder = Encoder::new(&folder)?;
    println!("compiled in {:.2} s", started.elapsed().as_secs_f64());
    let vector = encoder.encode(&[KNOWN.0])?.remove(0);
    if vector.iter().zip(KNOWN.1).any(|(found, known)| (found - known).abs() > 1e-5) {
        return Err(format!("the vector of {:?} begins with {:?}", KNOWN.0, &vector[..4]).into());
    }
    let texts = documentation()?;
    let started = Instant::now();
    let vectors = encoder.encode(&texts.iter().map(|paragraph| paragraph.text.as_str()).collect::<Vec<_>>())?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{} paragraphs in {seconds:.2} s ({:.0} a second)", texts.len(), texts.len() as f64 / seconds);
    for question in &questions {
        let vector = encoder.encode(&[question])?.remove(0);
        let mut scores: Vec<(f32, &Paragraph)> =
            vectors.iter().zip(&texts).map(|(other, paragraph)| (product(&vector, other), paragraph)).collect();
        scores.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("\n{question}");
        for (score, paragraph) in scores.iter().take(3) {
            let start: String = paragraph.text.chars().take(88).collect();
            println!("  {score:.2}  {}:{}  {start}", paragraph.file, paragraph.line);
        }
    }
    Ok(())
}
