//! Loading what [`super::save`] wrote.
//!
//! Entries are read in order, and may only mention entries before them: no text makes a cycle, and reading needs no
//! recursion however deep the graph is. Whatever does not fit is an error at its value.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tilewright_support::SourceFile;
use tilewright_tensor::{DataType, Tensor};

use super::AnyHandle;
use super::document::{Document, Kind};

/// Nodes inside each other. The first of several children counts as its parent: a chain of operators is no nesting.
pub const MAX_DEPTH: u32 = 20_000;

/// Something does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    pub message: String,
    /// The number of the value in its document.
    pub value: u32,
}

/// Reads the node of an entry.
type LoadNode = fn(Input<'_>, &mut Loader<'_>) -> Result<Box<dyn AnyHandle>, LoadError>;

/// A sort of handles that texts mention.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    pub name: &'static str,
    load: LoadNode,
}

/// A handle that can be loaded.
pub trait Handle: AnyHandle + Clone + Sized {
    /// The name of the sort in texts.
    const SORT: &'static str;
    /// Loads the node itself, where it has its entry.
    fn load_inside(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError>;
}

impl Sort {
    /// The sort of `H`.
    pub const fn of<H: Handle>() -> Self {
        Self { name: H::SORT, load: |input, cx| Ok(Box::new(H::load_inside(input, cx)?)) }
    }
}

/// The state of loading: the nodes, tensors and files that were read.
pub struct Loader<'e> {
    nodes: Vec<(Box<dyn AnyHandle>, u32)>,
    tensors: Vec<Tensor>,
    files: Vec<Arc<SourceFile>>,
    /// The table in which the sorts and values of the IR are looked up by name.
    environment: &'e dyn Any,
    /// The depths of the nodes that the current entry mentions: of the first, and of the deepest other; and how many.
    first: u32,
    others: u32,
    mentioned: u32,
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Loader({} nodes)", self.nodes.len())
    }
}

/// The tables of a saved graph.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'d> {
    pub files: Input<'d>,
    pub tensors: Input<'d>,
    pub nodes: Input<'d>,
}

impl<'e> Loader<'e> {
    /// Reads the tables; `check` is asked of every node.
    pub fn new(
        tables: Tables<'_>,
        sorts: &[Sort],
        environment: &'e dyn Any,
        check: &dyn Fn(&dyn AnyHandle) -> Result<(), String>,
    ) -> Result<Self, LoadError> {
        let (nodes, tensors, files) = (Vec::new(), Vec::new(), Vec::new());
        let mut loader = Self { nodes, tensors, files, environment, first: 0, others: 0, mentioned: 0 };
        for file in tables.files.items()? {
            let [name, first_line, text] = file.fields("a file", ["name", "first_line", "text"])?;
            let first_line = usize::try_from(first_line.unsigned(u64::from(u32::MAX))?).unwrap_or(usize::MAX);
            loader.files.push(SourceFile::part(name.text()?, text.text()?, first_line));
        }
        for tensor in tables.tensors.items()? {
            loader.tensors.push(load_tensor(tensor)?);
        }
        for entry in tables.nodes.items()? {
            loader.entry(entry, sorts, check)?;
        }
        Ok(loader)
    }

    fn entry(
        &mut self,
        entry: Input<'_>,
        sorts: &[Sort],
        check: &dyn Fn(&dyn AnyHandle) -> Result<(), String>,
    ) -> Result<(), LoadError> {
        let [label, sort, body] = entry.tuple("an entry")?;
        let expected = format!("%{}", self.nodes.len());
        if label.text()? != expected {
            return label.fail(format!("expected the label \"{expected}\": entries are numbered in order"));
        }
        let name = sort.text()?;
        let Some(known) = sorts.iter().find(|known| known.name == name) else {
            let names: Vec<_> = sorts.iter().map(|sort| sort.name).collect();
            return sort.fail(format!("unknown sort \"{name}\" of nodes: expected one of {}", names.join(", ")));
        };
        (self.first, self.others, self.mentioned) = (0, 0, 0);
        let node = (known.load)(body, self)?;
        if let Err(problem) = check(&*node) {
            return body.fail(problem);
        }
        let depth = match self.mentioned {
            0 => 0,
            1 => self.first + 1,
            _ => self.first.max(self.others + 1),
        };
        if depth > MAX_DEPTH {
            return entry.fail(format!("more than {MAX_DEPTH} nodes inside each other"));
        }
        self.nodes.push((node, depth));
        Ok(())
    }

    /// The table of names, if it is of this type.
    pub fn environment<E: 'static>(&self) -> Option<&'e E> {
        self.environment.downcast_ref()
    }

    /// The node that a value mentions.
    pub fn handle<H: Handle>(&mut self, input: Input<'_>) -> Result<H, LoadError> {
        let number = input.label('%', "the label of a node")?;
        let Some((node, depth)) = usize::try_from(number).ok().and_then(|number| self.nodes.get(number)) else {
            return input.fail(format!("%{number} is not among the entries before this one"));
        };
        if self.mentioned == 0 {
            self.first = *depth;
        } else {
            self.others = self.others.max(*depth);
        }
        self.mentioned = self.mentioned.saturating_add(1);
        match node.downcast::<H>() {
            Some(handle) => Ok(handle.clone()),
            None => input.fail(format!("%{number} is a {}, expected a {}", node.sort(), H::SORT)),
        }
    }

    /// The tensor that a value mentions.
    pub fn tensor(&self, input: Input<'_>) -> Result<Tensor, LoadError> {
        let number = input.label('@', "the label of a tensor")?;
        match usize::try_from(number).ok().and_then(|number| self.tensors.get(number)) {
            Some(tensor) => Ok(tensor.clone()),
            None => input.fail(format!("the table of tensors has no @{number}, only {}", self.tensors.len())),
        }
    }

    /// The file that a value mentions.
    pub fn file(&self, input: Input<'_>) -> Result<Arc<SourceFile>, LoadError> {
        let number = input.int()?;
        match usize::try_from(number).ok().and_then(|number| self.files.get(number)) {
            Some(file) => Ok(file.clone()),
            None => input.fail(format!("the table of files has no number {number}, only {}", self.files.len())),
        }
    }
}

fn load_tensor(input: Input<'_>) -> Result<Tensor, LoadError> {
    let [dtype_input, shape_input, data] = input.fields("a tensor", ["dtype", "shape", "data"])?;
    let dtype: DataType = dtype_input.parsed("a data type")?;
    if !dtype.is_tensor_element() {
        return dtype_input.fail(format!("a tensor has no elements of type {dtype}"));
    }
    let shape = shape_input.items()?.map(|dim| dim.unsigned(i64::MAX as u64)).collect::<Result<Vec<_>, _>>()?;
    let elements = shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).and_then(|n| usize::try_from(n).ok());
    let text = data.text()?;
    let bytes = match STANDARD.decode(text.as_bytes()) {
        Ok(bytes) => bytes,
        Err(problem) => return data.fail(format!("expected base64: {problem}")),
    };
    if elements.and_then(|elements| dtype.bytes_of(elements)) != Some(bytes.len()) {
        return data.fail(format!("{} bytes do not fill a tensor of shape {shape:?} and type {dtype}", bytes.len()));
    }
    let shape: Vec<i64> = shape.into_iter().map(|dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
    let tensor = Tensor::from_bytes(dtype, &shape, &bytes);
    let checked = tensor.and_then(|tensor| {
        if dtype.is_bool() {
            tensor.as_slice::<bool>()?;
        }
        Ok(tensor)
    });
    checked.or_else(|problem| data.fail(problem.to_string()))
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Input<'d> {
    document: &'d Document<'d>,
    value: u32,
}

impl<'d> Input<'d> {
    /// The whole document.
    pub fn root(document: &'d Document<'d>) -> Self {
        Self { document, value: 0 }
    }

    /// An error at this value.
    pub fn error(self, message: impl Into<String>) -> LoadError {
        LoadError { message: message.into(), value: self.value }
    }

    pub fn fail<T>(self, message: impl Into<String>) -> Result<T, LoadError> {
        Err(self.error(message))
    }

    fn kind(self) -> Kind {
        self.document.kind(self.value)
    }

    fn expect(self, kind: Kind) -> Result<(), LoadError> {
        if self.kind() == kind {
            return Ok(());
        }
        self.fail(format!("expected {}, found {}", kind.in_words(), self.kind().in_words()))
    }

    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    pub fn bool(self) -> Result<bool, LoadError> {
        self.expect(Kind::Bool)?;
        Ok(self.document.raw(self.value) == "true")
    }

    pub fn int(self) -> Result<i64, LoadError> {
        self.expect(Kind::Number)?;
        let raw = self.document.raw(self.value);
        raw.parse().or_else(|_| self.fail(format!("expected an integer of 64 bits, found {}", shortened(raw))))
    }

    /// An integer from 0 to `max`.
    pub fn unsigned(self, max: u64) -> Result<u64, LoadError> {
        let found = self.int()?;
        match u64::try_from(found) {
            Ok(value) if value <= max => Ok(value),
            _ => self.fail(format!("expected an integer from 0 to {max}, found {found}")),
        }
    }

    pub fn float(self) -> Result<f64, LoadError> {
        let expected = "expected a number, \"inf\", \"-inf\" or \"nan:\" and 16 hexadecimal digits";
        match self.kind() {
            Kind::Number => self.document.raw(self.value).parse().or_else(|_| self.fail(expected)),
            Kind::Text => match &*self.text()? {
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                text => {
                    let bits = text.strip_prefix("nan:").filter(|digits| digits.len() == 16);
                    let nan = bits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(f64::from_bits);
                    nan.filter(|value| value.is_nan()).map_or_else(|| self.fail(expected), Ok)
                }
            },
            _ => self.fail(expected),
        }
    }

    pub fn text(self) -> Result<Cow<'d, str>, LoadError> {
        self.expect(Kind::Text)?;
        Ok(self.document.text(self.value))
    }

    /// A text that `T` reads.
    pub fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(self, what: &str) -> Result<T, LoadError> {
        let text = self.text()?;
        text.parse().or_else(|problem| self.fail(format!("expected {what}: {problem}")))
    }

    /// A letter and a number, as `%12`.
    fn label(self, letter: char, what: &str) -> Result<u64, LoadError> {
        let text = self.text()?;
        let digits = text.strip_prefix(letter).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(number) => Ok(number),
            None => self.fail(format!("expected {what}, such as \"{letter}12\", found \"{}\"", shortened(&text))),
        }
    }

    /// The items of a list.
    pub fn items(self) -> Result<impl Iterator<Item = Self> + 'd, LoadError> {
        self.expect(Kind::List)?;
        let document = self.document;
        Ok(document.inside(self.value).map(move |value| Self { document, value }))
    }

    /// The items of a list of this length.
    pub fn tuple<const N: usize>(self, what: &str) -> Result<[Self; N], LoadError> {
        let items: Vec<Self> = self.items()?.collect();
        let found = items.len();
        items.try_into().or_else(|_| self.fail(format!("{what} has {N} items, found {found}")))
    }

    /// The entries of an object, each key once.
    pub fn entries(self) -> Result<Vec<(Cow<'d, str>, Self)>, LoadError> {
        self.expect(Kind::Object)?;
        let document = self.document;
        let all: Vec<Self> = document.inside(self.value).map(|value| Self { document, value }).collect();
        let mut entries: Vec<(Cow<'d, str>, Self)> = Vec::with_capacity(all.len() / 2);
        let mut seen = tilewright_support::Set::default();
        for pair in all.chunks_exact(2) {
            let key = document.text(pair[0].value);
            if !seen.insert(key.clone()) {
                return pair[0].fail(format!("the key \"{}\" is there twice", shortened(&key)));
            }
            entries.push((key, pair[1]));
        }
        Ok(entries)
    }

    /// The values of an object that has just these keys, in their order.
    pub fn fields<const N: usize>(self, what: &str, names: [&str; N]) -> Result<[Self; N], LoadError> {
        self.expect(Kind::Object)?;
        let mut found: [Option<Self>; N] = [None; N];
        let mut keys = self.document.inside(self.value);
        while let (Some(key), Some(value)) = (keys.next(), keys.next()) {
            let key = Self { document: self.document, value: key };
            let name = key.text()?;
            let Some(at) = names.iter().position(|known| *known == name) else {
                let fields = if N == 0 { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
                return key.fail(format!("{what} has no field \"{}\": {fields}", shortened(&name)));
            };
            if found[at].replace(Self { document: self.document, value }).is_some() {
                return key.fail(format!("the field \"{name}\" is there twice"));
            }
        }
        if let Some(missing) = found.iter().position(Option::is_none) {
            return self.fail(format!("{what} lacks the field \"{}\"", names[missing]));
        }
        Ok(found.map(|value| value.unwrap_or(self)))
    }

    /// The name of a variant and what belongs to it: a text, or an object of one entry.
    pub fn variant(self) -> Result<Variant<'d>, LoadError> {
        match self.kind() {
            Kind::Text => Ok(Variant { input: self, name: self.text()?, body: None }),
            Kind::Object => {
                let entries = self.entries()?;
                let found = entries.len();
                match <[_; 1]>::try_from(entries) {
                    Ok([(name, body)]) => Ok(Variant { input: self, name, body: Some(body) }),
                    Err(_) => self.fail(format!("expected an object of one variant, found {found} entries")),
                }
            }
            other => self.fail(format!("expected a variant: a text or an object, found {}", other.in_words())),
        }
    }
}

/// One of several kinds of a node.
#[derive(Debug)]
pub struct Variant<'d> {
    input: Input<'d>,
    pub name: Cow<'d, str>,
    body: Option<Input<'d>>,
}

impl<'d> Variant<'d> {
    /// The associated data.
    pub fn body(&self) -> Result<Input<'d>, LoadError> {
        self.body.map_or_else(|| self.input.fail(format!("the variant \"{}\" lacks what it holds", self.name)), Ok)
    }

    /// Checks that nothing belongs to it.
    pub fn alone(&self) -> Result<(), LoadError> {
        match self.body {
            None => Ok(()),
            Some(body) => body.fail(format!("the variant \"{}\" holds nothing", self.name)),
        }
    }

    /// The error that this is none of the variants.
    pub fn unknown<T>(&self, what: &str, names: &[&str]) -> Result<T, LoadError> {
        self.input.fail(format!(
            "unknown variant \"{}\" of {what}: expected one of {}",
            shortened(&self.name),
            names.join(", ")
        ))
    }
}

/// A text in short, for messages.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text.get(..at).unwrap_or_default())),
    }
}
