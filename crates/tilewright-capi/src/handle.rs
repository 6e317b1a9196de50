//! A session with what C sees of it.

use std::ffi::{CString, c_char, c_int};
use std::fmt;
use std::ptr;

use tilewright_runtime::session::{Session, Size, TensorSpec};

use crate::Outcome;
use crate::tensor::{CTensor, number_of};

/// `tw_session`.
#[derive(Debug)]
pub struct Handle {
    session: Session,
    inputs: Vec<Spec>,
    outputs: Vec<Spec>,
    /// What the pointers of the specs point to.
    _texts: Vec<Texts>,
}

/// `tw_spec`.
#[repr(C)]
pub struct Spec {
    name: *const c_char,
    dtype: c_int,
    rank: i32,
    shape: *const i64,
    symbols: *const *const c_char,
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tw_spec(rank {}, type {})", self.rank, self.dtype)
    }
}

/// The memory of a spec: its parts lie in boxes, which do not move.
#[derive(Debug)]
struct Texts {
    name: CString,
    shape: Box<[i64]>,
    _names: Vec<CString>,
    symbols: Box<[*const c_char]>,
}

// SAFETY: the pointers are to memory of the handle itself, which nobody writes to.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    pub(crate) fn new(session: Session) -> Outcome<Self> {
        let mut texts = Vec::new();
        let mut specs =
            |found: &[TensorSpec]| found.iter().map(|spec| Spec::new(spec, &mut texts)).collect::<Outcome<Vec<_>>>();
        let (inputs, outputs) = (specs(session.inputs())?, specs(session.outputs())?);
        Ok(Self { inputs, outputs, _texts: texts, session })
    }

    pub(crate) fn inputs(&self) -> &[Spec] {
        &self.inputs
    }

    pub(crate) fn outputs(&self) -> &[Spec] {
        &self.outputs
    }

    /// Runs the model; nothing is stored unless every result can be.
    ///
    /// # Safety
    /// Shapes have `rank` sizes and data all elements.
    pub(crate) unsafe fn run(&self, inputs: &[CTensor], outputs: &mut [CTensor]) -> Outcome<()> {
        let names = |specs: &[TensorSpec]| specs.iter().map(TensorSpec::to_string).collect::<Vec<_>>().join(", ");
        let specs = self.session.outputs();
        if outputs.len() != specs.len() {
            let (expected, found) = (specs.len(), outputs.len());
            return Err(format!("the model has {expected} outputs, {found} are given: {}", names(specs)));
        }
        let mut args = Vec::with_capacity(inputs.len());
        for (at, input) in inputs.iter().enumerate() {
            let name = self.session.inputs().get(at).map_or_else(|| at.to_string(), |spec| format!("`{}`", spec.name));
            // SAFETY: by the caller's promise, until this function returns: results that share it are copied.
            args.push(unsafe { input.borrowed(&format!("input {name}")) }?);
        }
        let results = self.session.call(&args).map_err(|error| error.to_string())?;
        let named = || specs.iter().map(|spec| format!("output `{}`", spec.name)).zip(&results);
        for (output, (name, result)) in outputs.iter().zip(named()) {
            output.check(result, &name)?;
        }
        for (output, result) in outputs.iter_mut().zip(&results) {
            // SAFETY: by the caller's promise.
            unsafe { output.store(result) }?;
        }
        Ok(())
    }
}

impl Spec {
    fn new(spec: &TensorSpec, texts: &mut Vec<Texts>) -> Outcome<Self> {
        let text = |text: &str| CString::new(text.replace('\0', "\\0")).map_err(|error| error.to_string());
        let dtype = number_of(spec.dtype)
            .ok_or_else(|| format!("`{}` has a data type for which this interface has no name: {spec}", spec.name))?;
        let known = |size: &Size| if let Size::Known(size) = size { *size } else { -1 };
        let mut names = Vec::new();
        let mut symbols = Vec::new();
        for size in &spec.shape {
            symbols.push(match size {
                Size::Known(_) => ptr::null(),
                symbol => {
                    names.push(text(&symbol.to_string())?);
                    // The memory of the string stays where it is when the string is moved.
                    names.last().map_or(ptr::null(), |name| name.as_ptr())
                }
            });
        }
        let held = Texts {
            name: text(&spec.name)?,
            shape: spec.shape.iter().map(known).collect(),
            _names: names,
            symbols: symbols.into(),
        };
        let made = Self {
            name: held.name.as_ptr(),
            dtype,
            rank: i32::try_from(spec.shape.len()).unwrap_or(i32::MAX),
            shape: held.shape.as_ptr(),
            symbols: held.symbols.as_ptr(),
        };
        texts.push(held);
        Ok(made)
    }
}
