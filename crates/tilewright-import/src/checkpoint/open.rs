//! The way in: a file, an index of files, or a folder.
//!
//! A file is known by its first bytes. An index (`*.safetensors.index.json`, `pytorch_model.bin.index.json`) says in
//! which files of its folder the tensors are; `ndarray-cache.json` has the tensors themselves. In a folder the first of
//! [`IN_FOLDERS`] is opened, and else the only file with one of the [`EXTENSIONS`]. A GGUF file that is one of several
//! (`name-00001-of-00003.gguf`) opens all of them.

use std::path::{Path, PathBuf};

use tilewright_support::OrderedMap;
use tilewright_tensor::SharedBytes;

use super::json::Json;
use super::{Checkpoint, CheckpointError, Contents, archive, gguf, mlc, safetensors, torch};
use crate::folder::{is_inside, resolve};
use crate::pickle::Value;
use crate::{Format, ImportError, read_npy, zip};

/// Names of files that folders are opened by, the first that is there.
const IN_FOLDERS: [&str; 7] = [
    "model.safetensors.index.json",
    "model.safetensors",
    "ndarray-cache.json",
    "tensor-cache.json",
    "pytorch_model.bin.index.json",
    "pytorch_model.bin",
    "consolidated.safetensors",
];

/// Extensions of the files that folders may have one of, the first that is there.
const EXTENSIONS: [&str; 8] =
    ["safetensors.index.json", "safetensors", "gguf", "bin.index.json", "pt", "pth", "npz", "ckpt"];

type Res<T> = Result<T, CheckpointError>;

/// Whether a path is one that [`Checkpoint::open`] may open: a folder, or a file that begins as a checkpoint does.
/// Files of other kinds are told apart by their first bytes; of a JSON file, the name says it.
///
/// # Errors
/// If the file cannot be read.
pub fn is_checkpoint(path: &Path) -> std::io::Result<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    // Bytes that are read of a pipe are lost.
    if path.exists() && !path.is_file() {
        return Ok(false);
    }
    let mut first = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(std::fs::File::open(path)?, 16), &mut first)?;
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let is_index = name.ends_with(".index.json") || name == "ndarray-cache.json" || name == "tensor-cache.json";
    // A pickle of protocol 2 or later begins with its number.
    let is_pickle = first.first() == Some(&0x80);
    let is_known = first.starts_with(&gguf::MAGIC)
        || first.starts_with(&zip::MAGIC)
        || first.starts_with(b"\x93NUMPY")
        || safetensors::is_safetensors(&first);
    Ok(is_known || is_pickle || is_index || name.ends_with(".safetensors"))
}

/// What the bytes of a file hold, and the name of their format.
fn contents_of(bytes: &SharedBytes) -> Result<(&'static str, Contents), ImportError> {
    if bytes.starts_with(&gguf::MAGIC) {
        return Ok((gguf::NAME, gguf::read(bytes)?));
    }
    if bytes.starts_with(&zip::MAGIC) || bytes.starts_with(&zip::EMPTY_MAGIC) {
        let members = zip::members(bytes).map_err(|message| ImportError::new("zip", message))?;
        return match torch::folder_of(&members) {
            Some(folder) => Ok((torch::NAME, torch::read(bytes, &members, &folder)?)),
            None => Ok((archive::NAME, archive::read(bytes, members)?)),
        };
    }
    if torch::is_of_old_form(bytes) {
        return Ok((torch::NAME, torch::read_old_form(bytes)?));
    }
    if safetensors::is_safetensors(bytes) {
        return Ok((safetensors::NAME, safetensors::read(bytes)?));
    }
    match Format::detect(bytes) {
        Format::Npy => {
            let value = Value::Dict(vec![(Value::Str("data".to_owned()), Value::Array(read_npy(bytes)?))]);
            Ok((Format::Npy.name(), torch::flatten(value, bytes.len())?))
        }
        Format::Pickle if bytes.first() == Some(&0x80) => {
            Ok((Format::Pickle.name(), torch::flatten(crate::read_pickle(bytes)?, bytes.len())?))
        }
        _ => Err(ImportError::new(
            "checkpoint",
            "the file begins as none that is known: safetensors, GGUF, a file of torch.save, npz, npy, a pickle, or the \
             JSON of an index or an `ndarray-cache.json`",
        )),
    }
}

pub(super) fn of_bytes(bytes: &SharedBytes) -> Result<Checkpoint, ImportError> {
    let (format, contents) = contents_of(bytes)?;
    Checkpoint::new(format, Vec::new(), contents)
}

impl Checkpoint {
    /// Opens a file, an index or a folder; the documentation of the module [`self::open`](self) says which. The files
    /// are mapped, and must stay as they are while tensors of them are in use.
    ///
    /// # Errors
    /// If there is no checkpoint at the path, if a file cannot be read, or if its contents break the format's rules.
    pub fn open(path: &Path) -> Res<Self> {
        let chosen;
        let path = match path.is_dir() {
            true => {
                chosen = file_in(path)?;
                &chosen
            }
            false => path,
        };
        let bytes = SharedBytes::map(path).map_err(|error| CheckpointError::io(path, error))?;
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first == Some(&b'{') && !safetensors::is_safetensors(&bytes) {
            return of_listing(path, &bytes);
        }
        let in_file = |error| CheckpointError::contents(path, error);
        let (format, contents) = contents_of(&bytes).map_err(in_file)?;
        let split = contents.metadata.iter().find(|(key, _)| key == "split.count");
        match split.and_then(|(_, value)| value.as_u64()).filter(|count| format == gguf::NAME && *count > 1) {
            Some(count) => of_split(path, count),
            None => Self::new(format, vec![path.to_owned()], contents).map_err(in_file),
        }
    }
}

/// The file by which a folder is opened.
fn file_in(folder: &Path) -> Res<PathBuf> {
    if let Some(name) = IN_FOLDERS.iter().find(|name| folder.join(name).is_file()) {
        return Ok(folder.join(name));
    }
    let listing = std::fs::read_dir(folder).map_err(|error| CheckpointError::io(folder, error))?;
    let mut names: Vec<String> = listing.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    for extension in EXTENSIONS {
        let ending = format!(".{extension}");
        let mut found: Vec<&String> = names.iter().filter(|name| name.ends_with(&ending)).collect();
        // The parts of one split file are opened by the first of them.
        if extension == "gguf" && found.len() > 1 && found.first().is_some_and(|name| name.contains("-00001-of-")) {
            found.truncate(1);
        }
        match found[..] {
            [] => {}
            [name] => return Ok(folder.join(name)),
            [first, second, ..] => {
                let message = format!("the folder has {first:?}, {second:?} and no index of them: open one file");
                return Err(CheckpointError::contents(folder, ImportError::new("checkpoint", message)));
            }
        }
    }
    let message = format!("the folder has no checkpoint: none of {}, and no file *.{}", IN_FOLDERS.join(", "), {
        EXTENSIONS.join(", *.")
    });
    Err(CheckpointError::contents(folder, ImportError::new("checkpoint", message)))
}

/// The parts of a GGUF file that is one of several.
fn of_split(path: &Path, count: u64) -> Res<Checkpoint> {
    let wrong = |path: &Path, message: String| CheckpointError::contents(path, ImportError::new(gguf::NAME, message));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = format!("-of-{count:05}.gguf");
    let stem = name.strip_suffix(&ending).and_then(|rest| rest.get(..rest.len().checked_sub(6)?));
    let stem = stem.ok_or_else(|| {
        wrong(path, format!("it is one of {count} files, and its name does not end in `-00001{ending}`, as those do"))
    })?;
    let (mut files, mut all) = (Vec::new(), Contents::default());
    for number in 0..count {
        let path = path.with_file_name(format!("{stem}-{:05}{ending}", number + 1));
        let bytes = SharedBytes::map(&path).map_err(|error| CheckpointError::io(&path, error))?;
        let (_, part) = contents_of(&bytes).map_err(|error| CheckpointError::contents(&path, error))?;
        let said = part.metadata.iter().find(|(key, _)| key == "split.no").and_then(|(_, value)| value.as_u64());
        if said != Some(number) {
            return Err(wrong(&path, format!("`split.no` is {said:?}, expected {number}")));
        }
        append(&mut all, part, files.len());
        files.push(path);
    }
    Checkpoint::new(gguf::NAME, files, all).map_err(|error| CheckpointError::contents(path, error))
}

/// Adds the contents of the file of a number; the metadata are those of the first one.
fn append(all: &mut Contents, mut part: Contents, file: usize) {
    part.entries.iter_mut().for_each(|entry| entry.file = file);
    all.entries.append(&mut part.entries);
    if file == 0 {
        all.metadata = part.metadata;
    }
}

/// The checkpoint of an index, or of an `ndarray-cache.json`, with the files of its folder.
fn of_listing(path: &Path, text: &[u8]) -> Res<Checkpoint> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut open = |location: &str| SharedBytes::map(&resolve(folder, location)?).map_err(|error| error.to_string());
    let mut checkpoint = of_files(text, &mut open).map_err(|error| CheckpointError::contents(path, error))?;
    checkpoint.files.iter_mut().for_each(|file| *file = folder.join(&file));
    Ok(checkpoint)
}

/// Gives the bytes of a file by its name, which is relative to the folder of the listing and does not lead out of it.
pub type OpenFile<'a> = dyn FnMut(&str) -> Result<SharedBytes, String> + 'a;

/// The files that were opened, each once.
struct Opened<'a, 'f> {
    open: &'a mut OpenFile<'f>,
    files: OrderedMap<String, SharedBytes>,
}

impl Opened<'_, '_> {
    /// The bytes and the number of a file.
    fn file(&mut self, location: &str) -> Result<(SharedBytes, usize), String> {
        if let Some((number, _, bytes)) = self.files.get_full(location) {
            return Ok((bytes.clone(), number));
        }
        if !is_inside(location) {
            return Err(format!("{location:?} is outside of the folder, and is not read"));
        }
        let bytes = (self.open)(location).map_err(|message| format!("{location:?}: {message}"))?;
        let (number, _) = self.files.insert_full(location.to_owned(), bytes.clone());
        Ok((bytes, number))
    }
}

pub(super) fn of_files(text: &[u8], open: &mut OpenFile<'_>) -> Result<Checkpoint, ImportError> {
    let mut opened = Opened { open, files: OrderedMap::default() };
    let (format, contents) = match weight_map(text)? {
        Some(index) => of_index(&index, &mut opened)?,
        None => {
            let mut open =
                |location: &str| opened.file(location).map_err(|message| ImportError::new(mlc::NAME, message));
            (mlc::NAME, mlc::read(text, &mut open)?)
        }
    };
    let files = opened.files.into_keys().map(PathBuf::from).collect();
    Checkpoint::new(format, files, contents)
}

/// The names of tensors of an index, by the files that they are in; none where the JSON is no index.
type Index = OrderedMap<String, Vec<String>>;

fn weight_map(text: &[u8]) -> Result<Option<Index>, ImportError> {
    let mut json = Json::new("index", text, 0)?;
    let (mut index, mut has_records) = (None, false);
    json.object(&mut |json, key| match &*key {
        "weight_map" => {
            let files = index.get_or_insert_with(Index::default);
            json.object(&mut |json, name| {
                let file = json.string()?;
                if !is_inside(&file) {
                    return Err(json.error(format!("the tensor {name:?} is in {file:?}, outside of the folder")));
                }
                match files.get_mut(&*file) {
                    Some(names) => names.push(name.into_owned()),
                    None => drop(files.insert(file.into_owned(), vec![name.into_owned()])),
                }
                Ok(())
            })
        }
        "records" => {
            has_records = true;
            json.skip()
        }
        _ => json.skip(),
    })?;
    json.end()?;
    if index.is_none() && !has_records {
        return Err(ImportError::new("index", "the JSON has neither a `weight_map` nor `records`"));
    }
    Ok(index)
}

fn of_index(index: &Index, opened: &mut Opened<'_, '_>) -> Result<(&'static str, Contents), ImportError> {
    let (mut all, mut format) = (Contents::default(), "index");
    for (location, names) in index {
        let wrong = |message: String| ImportError::new("index", message);
        let (bytes, file) = opened.file(location).map_err(wrong)?;
        let in_file = |error: ImportError| wrong(format!("{location:?}: {error}"));
        let (found, part) = contents_of(&bytes).map_err(in_file)?;
        let part = Checkpoint::new(found, Vec::new(), part).map_err(in_file)?;
        if let Some(name) = names.iter().find(|name| part.entry(name).is_none()) {
            return Err(wrong(format!("the tensor {name:?} should be in {location:?}, and is not")));
        }
        format = found;
        append(&mut all, Contents { metadata: part.metadata, entries: part.entries }, file);
    }
    Ok((format, all))
}
