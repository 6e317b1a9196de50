//! Checkpoints: the named tensors of a model's weights, in the files that people have them in.
//!
//! Reading order: [`Checkpoint::open`] (a file, an index or a folder: [`open`]), [`Entry`] (a tensor as it is stored),
//! [`Meta`] (what a file says about itself), [`Checkpoint::compare`] (names, shapes and types that a model expects);
//! then one file for each format: [`safetensors`], [`gguf`], [`torch`] (`.pt`, `.bin`), [`archive`] (`.npz`) and
//! [`mlc`] (`ndarray-cache.json`).
//!
//! Opening maps the files and reads their headers. A tensor is read when it is asked for: where its elements lie in
//! the file as tensors have them, it is a read-only view of the mapped file without a copy; blocks of GGUF become
//! float32, and compressed members are inflated.
//!
//! ```
//! use tilewright_import::checkpoint::Checkpoint;
//!
//! let header = br#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
//! let mut file = (header.len() as u64).to_le_bytes().to_vec();
//! file.extend_from_slice(header);
//! file.extend_from_slice(&2.5f32.to_le_bytes());
//! let checkpoint = Checkpoint::from_bytes(file.into())?;
//! assert_eq!(checkpoint.get("x")?.as_slice::<f32>()?, [2.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: files are not trusted. Names are unique; what an entry claims was compared with the bytes that are
//! there; files outside of the opened folder are not read; nothing in a file is run. Memory is bounded by the size of
//! the files, and what a tensor takes by what is stored of it.

mod archive;
mod compare;
mod entry;
mod error;
pub mod gguf;
mod json;
mod meta;
mod mlc;
mod open;
mod safetensors;
mod torch;

use std::path::PathBuf;

use tilewright_support::nearest;
use tilewright_tensor::{SharedBytes, Tensor};

pub use compare::{Comparison, Expected};
pub use entry::{Entry, Stored};
pub use error::CheckpointError;
pub use meta::Meta;
pub use open::{OpenFile, is_checkpoint};

use crate::ImportError;

/// The tensors of a checkpoint by name, and what its files say about it.
#[derive(Debug)]
pub struct Checkpoint {
    format: &'static str,
    files: Vec<PathBuf>,
    metadata: Vec<(String, Meta)>,
    entries: Vec<Entry>,
    /// Numbers of the entries, in the order of their names.
    sorted: Vec<usize>,
}

/// What a format's reader finds in a file.
#[derive(Debug, Default)]
struct Contents {
    metadata: Vec<(String, Meta)>,
    entries: Vec<Entry>,
}

impl Checkpoint {
    /// The checkpoint of bytes of a single file; a format that needs other files is refused.
    ///
    /// # Errors
    /// If the bytes are of no format that is known, or break its rules.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, ImportError> {
        open::of_bytes(&bytes)
    }

    /// The checkpoint of the JSON of an index or an `ndarray-cache.json`, with the files that `open` gives by name.
    /// Names that would lead out of the folder are refused before.
    ///
    /// # Errors
    /// If the JSON or a file breaks the rules of its format, or `open` fails.
    pub fn from_listing(text: &[u8], open: &mut OpenFile<'_>) -> Result<Self, ImportError> {
        open::of_files(text, open)
    }

    /// Puts together what was read of the files.
    fn new(format: &'static str, files: Vec<PathBuf>, contents: Contents) -> Result<Self, ImportError> {
        let Contents { metadata, entries } = contents;
        let mut sorted: Vec<usize> = (0..entries.len()).collect();
        sorted.sort_by(|&a, &b| entries[a].name().cmp(entries[b].name()));
        if let Some(pair) = sorted.windows(2).find(|pair| entries[pair[0]].name() == entries[pair[1]].name()) {
            let name = entries[pair[0]].name();
            return Err(ImportError::new(format, format!("there are two tensors of the name {name:?}")));
        }
        Ok(Self { format, files, metadata, entries, sorted })
    }

    /// The name of the format, such as `safetensors`.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// The files that were opened.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// What the files say besides the tensors, in their order.
    pub fn metadata(&self) -> &[(String, Meta)] {
        &self.metadata
    }

    /// A value of the metadata.
    pub fn meta(&self, key: &str) -> Option<&Meta> {
        self.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The tensors in the order of the files.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let place = self.sorted.binary_search_by(|&number| self.entries[number].name().cmp(name)).ok()?;
        self.entries.get(self.sorted[place])
    }

    /// The tensor of a name: [`Entry::tensor`].
    ///
    /// # Errors
    /// If there is none, or its elements are not read.
    pub fn get(&self, name: &str) -> Result<Tensor, ImportError> {
        self.entry(name).ok_or_else(|| self.unknown(name))?.tensor()
    }

    /// The stored bytes of the tensor of a name: [`Entry::raw`].
    ///
    /// # Errors
    /// If there is none, or it is not stored as plain bytes.
    pub fn raw(&self, name: &str) -> Result<Tensor, ImportError> {
        self.entry(name).ok_or_else(|| self.unknown(name))?.raw()
    }

    fn unknown(&self, name: &str) -> ImportError {
        let near = nearest(name, self.entries.iter().map(Entry::name));
        let hint = near.map_or(String::new(), |near| format!("; there is {near:?}"));
        ImportError::new(self.format, format!("there is no tensor {name:?} among the {}{hint}", self.entries.len()))
    }

    /// Compares the tensors with those that a model expects.
    pub fn compare<'a>(&self, expected: impl IntoIterator<Item = &'a Expected>) -> Comparison {
        compare::compare(self, expected)
    }
}
