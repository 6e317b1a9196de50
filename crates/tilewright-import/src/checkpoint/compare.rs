//! The comparison of a checkpoint with what a model expects: everything that differs, at once.

use std::fmt;

use tilewright_support::Set;
use tilewright_tensor::DataType;

use super::{Checkpoint, Entry};

/// A tensor that a model expects.
#[derive(Clone, Debug)]
pub struct Expected {
    pub name: String,
    /// None for a dimension of any size.
    pub shape: Vec<Option<i64>>,
    /// None for any type.
    pub dtype: Option<DataType>,
}

/// How a checkpoint differs from what is expected, in the order of the expectations; the order of the checkpoint in
/// `unexpected`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Names that the checkpoint lacks.
    pub missing: Vec<String>,
    /// Names that only the checkpoint has.
    pub unexpected: Vec<String>,
    /// Names with the expected shape (-1 for a dimension of any size) and the one that was found.
    pub misshapen: Vec<(String, Vec<i64>, Vec<i64>)>,
    /// Names with the expected data type, and the stored type that was found.
    pub mistyped: Vec<(String, DataType, String)>,
    /// The number of tensors that are as expected.
    pub matched: usize,
    /// A beginning of names that the checkpoint has and the model lacks, if all missing names are there with it.
    pub extra_prefix: Option<String>,
    /// A beginning of names that the model has and the checkpoint lacks, if all missing names are there without it.
    pub absent_prefix: Option<String>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_match(&self) -> bool {
        self.is_loadable() && self.unexpected.is_empty()
    }

    /// Whether everything that is expected is there; there may be more.
    pub fn is_loadable(&self) -> bool {
        self.missing.is_empty() && self.misshapen.is_empty() && self.mistyped.is_empty()
    }
}

pub(super) fn compare<'a>(checkpoint: &Checkpoint, expected: impl IntoIterator<Item = &'a Expected>) -> Comparison {
    let mut found = Comparison::default();
    let mut names: Set<&str> = Set::default();
    for one in expected {
        names.insert(&one.name);
        let Some(entry) = checkpoint.entry(&one.name) else {
            found.missing.push(one.name.clone());
            continue;
        };
        let (shape, dtype) = (has_shape(entry, &one.shape), one.dtype.filter(|_| entry.stored().dtype() != one.dtype));
        if !shape {
            let sizes = one.shape.iter().map(|dim| dim.unwrap_or(-1)).collect();
            found.misshapen.push((one.name.clone(), sizes, entry.shape().to_vec()));
        }
        if let Some(dtype) = dtype {
            found.mistyped.push((one.name.clone(), dtype, entry.stored().to_string()));
        }
        found.matched += usize::from(shape && dtype.is_none());
    }
    let others = checkpoint.entries().iter().map(Entry::name).filter(|name| !names.contains(name));
    found.unexpected = others.map(str::to_owned).collect();
    found.extra_prefix = common_prefix(&found.missing, &found.unexpected);
    found.absent_prefix = common_prefix(&found.unexpected, &found.missing).filter(|_| !found.missing.is_empty());
    found
}

fn has_shape(entry: &Entry, shape: &[Option<i64>]) -> bool {
    let same = |(found, wanted): (&i64, &Option<i64>)| wanted.is_none_or(|wanted| wanted == *found);
    entry.shape().len() == shape.len() && entry.shape().iter().zip(shape).all(same)
}

/// The text with which all of `short` are in `long`.
fn common_prefix(short: &[String], long: &[String]) -> Option<String> {
    let first = short.first()?;
    let known: Set<&str> = long.iter().map(String::as_str).collect();
    let candidates = long.iter().filter_map(|name| name.strip_suffix(first.as_str())).take(8);
    let mut fits = candidates.filter(|prefix| {
        !prefix.is_empty() && short.iter().all(|name| known.contains(format!("{prefix}{name}").as_str()))
    });
    fits.next().map(str::to_owned)
}

/// Lines of each kind that a report shows.
const SHOWN: usize = 20;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tensors are as expected", self.matched)?;
        let misshapen = self.misshapen.iter().map(|(name, expected, found)| {
            let expected = sizes(expected);
            format!("{name:?}: expected {expected}, found {found:?}")
        });
        let mistyped = self.mistyped.iter();
        let mistyped = mistyped.map(|(name, dtype, found)| format!("{name:?}: expected {dtype}, found {found}"));
        list(f, "missing", self.missing.iter().map(|name| format!("{name:?}")))?;
        list(f, "unexpected", self.unexpected.iter().map(|name| format!("{name:?}")))?;
        list(f, "of another shape", misshapen)?;
        list(f, "of another type", mistyped)?;
        if let Some(prefix) = &self.extra_prefix {
            write!(f, "\nall missing tensors are there under names that begin with {prefix:?}")?;
        }
        if let Some(prefix) = &self.absent_prefix {
            write!(f, "\nthe checkpoint has these tensors under names without {prefix:?}")?;
        }
        Ok(())
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, lines: impl ExactSizeIterator<Item = String>) -> fmt::Result {
    let count = lines.len();
    if count == 0 {
        return Ok(());
    }
    write!(f, "\n{count} {title}")?;
    for line in lines.take(SHOWN) {
        write!(f, "\n  {line}")?;
    }
    match count.saturating_sub(SHOWN) {
        0 => Ok(()),
        rest => write!(f, "\n  … and {rest} more"),
    }
}

fn sizes(expected: &[i64]) -> String {
    let size = |&size: &i64| if size < 0 { "?".to_owned() } else { size.to_string() };
    format!("[{}]", expected.iter().map(size).collect::<Vec<_>>().join(", "))
}
