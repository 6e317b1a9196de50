//! Models of files, compiled and ready to run: [`load`].
//!
//! What is compiled is kept in a cache by the content of the files, the target and the compiler, so that the next
//! [`load`] reads it from there.

mod cache;
mod files;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewright_import::onnx;
use tilewright_ir::IRModule;
use tilewright_runtime::session::{ModelInfo, Session};
use tilewright_runtime::{Error, Executable};
use tilewright_support::{Diagnostics, SourceFile};

use crate::compile::{CompileError, CompileOptions, compile};

pub use cache::SessionCache;
pub use files::{ExternalFiles, folder_of};

/// The first bytes of an executable.
const EXECUTABLE: &[u8] = b"TILEWRT\0";

/// How a model is loaded.
#[derive(Debug)]
pub struct LoadOptions {
    pub compile: CompileOptions,
    /// Shapes and values of inputs of an ONNX model.
    pub onnx: onnx::Options,
    /// Where what is compiled is kept; by default in the user's folder of caches.
    pub cache: Option<SessionCache>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        let onnx = onnx::Options { sanitize_input_names: true, ..onnx::Options::default() };
        Self { compile: CompileOptions::default(), onnx, cache: SessionCache::of_user() }
    }
}

/// Why a model could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be read.
    Io {
        path: PathBuf,
        source: io::Error,
    },
    /// The file is none of those that are loaded.
    Unknown {
        path: PathBuf,
    },
    /// The model is not one, or has what cannot be imported.
    Model(Diagnostics),
    Compile(CompileError),
    /// The executable does not run on this machine, or its `main` takes or gives something else than tensors.
    Run(Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "cannot read \"{}\": {source}", path.display()),
            Self::Unknown { path } => {
                let path = path.display();
                write!(f, "{path} is none of: an ONNX model (.onnx), TVMScript (.py), an executable")
            }
            Self::Model(found) => found.fmt(f),
            Self::Compile(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Error> for LoadError {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

/// The model of a file, compiled and ready to run: an ONNX model with the files of its tensors, a module of TVMScript
/// whose function `main` takes and gives tensors, or an executable.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("tilewright-load-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("double.py");
/// # std::fs::write(&path, "@R.function\ndef main(x: R.Tensor((\"n\",), \"float32\")):\n    return R.add(x, x)\n")?;
/// use tilewright::Tensor;
/// use tilewright::session::{LoadOptions, load};
///
/// let session = load(&path, &LoadOptions { cache: None, ..LoadOptions::default() })?;
/// assert_eq!(session.inputs()[0].to_string(), "x: float32[n]");
/// let x = Tensor::from_vec(&[2], vec![1.5f32, -2.0])?;
/// let outputs = session.run(&[("x", x)])?;
/// assert_eq!(outputs[0].1.as_slice::<f32>()?, [3.0, -4.0]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read or is no such model, or if the model cannot be compiled or run on this machine.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Session, LoadError> {
    let path = path.as_ref();
    let in_file = |source| LoadError::Io { path: path.to_owned(), source };
    let has_extension = |wanted: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(wanted));
    if starts_as_executable(path).map_err(in_file)? {
        return Ok(Session::open(path)?);
    }
    if has_extension("onnx") {
        let bytes = std::fs::read(path).map_err(in_file)?;
        return of_onnx(&bytes, Some(path), options);
    }
    if has_extension("py") {
        let text = std::fs::read_to_string(path).map_err(in_file)?;
        let file = SourceFile::new(path.display().to_string(), text);
        let module = crate::parse_module(&file).map_err(LoadError::Model)?;
        return Ok(Session::new(built(&module, None, options)?)?);
    }
    Err(LoadError::Unknown { path: path.to_owned() })
}

fn starts_as_executable(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(EXECUTABLE.len() as u64).read_to_end(&mut start)?;
    Ok(start == EXECUTABLE)
}

/// The session of an ONNX model; the path says where the files of its tensors are.
///
/// # Errors
/// As [`load`].
pub fn of_onnx(bytes: &[u8], path: Option<&Path>, options: &LoadOptions) -> Result<Session, LoadError> {
    let key = options.cache.as_ref().filter(|_| options.onnx.values.is_empty()).map(|cache| {
        let said = [format!("{:?}", options.compile.target), format!("{:?}", options.compile.pipeline)];
        (cache, cache.key(bytes, path, &[&said[0], &said[1], &format!("{:?}", options.onnx)]))
    });
    if let Some((cache, key)) = &key
        && let Some(kept) = cache.read(key)
    {
        return Ok(Session::new(Arc::new(kept))?);
    }
    let module = module_of(bytes, path, &options.onnx).map_err(LoadError::Model)?;
    let executable = built(&module, info_of(bytes), options)?;
    if let Some((cache, key)) = &key {
        cache.write(key, &executable);
    }
    Ok(Session::new(executable)?)
}

/// The module of an ONNX model; the path says where the files of its tensors are.
///
/// # Errors
/// If the bytes are no model, or if it has what cannot be imported: all of it at once.
pub fn module_of(bytes: &[u8], path: Option<&Path>, options: &onnx::Options) -> Result<IRModule, Diagnostics> {
    let files = path.map(ExternalFiles::of);
    let read = |location: &str, offset: u64, length: Option<u64>| match &files {
        Some(files) => files.part(location, offset, length),
        None => Err("the model is given without a folder".to_owned()),
    };
    let external: Option<&onnx::External<'_>> = if files.is_some() { Some(&read) } else { None };
    onnx::from_onnx(bytes, options, external).map_err(|faults| faults.diagnostics)
}

/// What an executable keeps of an ONNX model; none of what is no model.
pub fn info_of(bytes: &[u8]) -> Option<ModelInfo> {
    let model = onnx::read(bytes).ok()?;
    let (inputs, outputs) = (model.input_names(), model.output_names());
    let metadata = model.metadata.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
    Some(ModelInfo {
        inputs: inputs.map(str::to_owned).collect(),
        outputs: outputs.map(str::to_owned).collect(),
        metadata: metadata.collect(),
    })
}

fn built(module: &IRModule, model: Option<ModelInfo>, options: &LoadOptions) -> Result<Arc<Executable>, LoadError> {
    let options = CompileOptions { model, ..options.compile.clone() };
    compile(module, &options).map_err(LoadError::Compile)
}
