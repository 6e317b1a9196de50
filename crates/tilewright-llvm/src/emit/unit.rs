//! A kernel while it is emitted: the state that its functions share, such as finished text, messages, scratch memory,
//! limits.

use std::fmt::Write;

use tilewright_support::OrderedMap;
use tilewright_target::{Arch, Target};
use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, TypeCode};

use super::device::Shared;
use super::scratch::Scratch;
use super::stream::Streams;
use super::text::{Value, quoted};
use crate::CodegenError;

/// Instructions of one kernel at most. LLVM takes minutes for a larger one, which comes from excessive unrolling.
const MAX_INSTRUCTIONS: usize = 1_000_000;

/// Lanes of a vector at most: LLVM's splitting of vectors into registers takes unbounded time beyond.
const MAX_LANES: u16 = 512;

/// Bytes of scratch memory of one kernel.
const MAX_SCRATCH_BYTES: u64 = 1 << 40;

/// A call of an intrinsic of LLVM by its name, as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct IntrinsicCall {
    /// The kernel that calls it.
    pub(crate) symbol: String,
    pub(crate) name: String,
    /// Types of the parameters of a function that consists of the call: `<8 x float> %a0, …`.
    pub(crate) parameters: String,
    /// The type of the result.
    pub(crate) result: String,
    /// Operands with their types; constants are written out.
    pub(crate) operands: String,
}

/// A kernel being written.
#[derive(Debug)]
pub(crate) struct Unit<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) target: &'a Target,
    /// Of the kernel in its module: makes internal names unique.
    number: usize,
    functions: usize,
    text: String,
    messages: OrderedMap<String, ()>,
    /// C functions that are called, with the text that declares them.
    externs: OrderedMap<String, String>,
    /// Intrinsics of LLVM that the user calls.
    pub(crate) intrinsics: Vec<IntrinsicCall>,
    /// The tensors that are read or written once.
    pub(crate) streams: Streams,
    pub(crate) scratch: Scratch,
    pub(crate) scratch_bytes: u64,
    pub(crate) shared: Shared,
    pub(crate) instructions: usize,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(symbol: &'a str, number: usize, target: &'a Target) -> Self {
        Self {
            symbol,
            target,
            number,
            functions: 0,
            text: String::new(),
            messages: OrderedMap::default(),
            externs: OrderedMap::default(),
            intrinsics: Vec::new(),
            streams: Streams::default(),
            scratch: Scratch::default(),
            scratch_bytes: 0,
            shared: Shared::default(),
            instructions: 0,
        }
    }

    pub(crate) fn unsupported(&self, what: impl Into<String>) -> CodegenError {
        CodegenError::Unsupported { symbol: self.symbol.to_owned(), what: what.into() }
    }

    pub(crate) fn malformed(&self, what: impl Into<String>) -> CodegenError {
        CodegenError::Malformed { symbol: self.symbol.to_owned(), what: what.into() }
    }

    /// An error for types that have no code.
    pub(crate) fn check_type(&self, dtype: DataType) -> Result<(), CodegenError> {
        if dtype.is_packed() {
            return Err(self.unsupported(format!("elements of type {dtype} share bytes: kernels do not access them")));
        }
        let fits = match dtype.code {
            TypeCode::Float8E4M3Fn | TypeCode::Float8E5M2 => dtype.bits == 8,
            TypeCode::Float4E2M1Fn => false,
            TypeCode::Bool => dtype.bits == 8,
            TypeCode::Int | TypeCode::UInt => matches!(dtype.bits, 8 | 16 | 32 | 64),
            TypeCode::Float => matches!(dtype.bits, 16 | 32 | 64),
            TypeCode::BFloat => dtype.bits == 16,
            TypeCode::Handle => false,
        };
        if !fits {
            return Err(self.unsupported(format!("no code is made for values of type {dtype}")));
        }
        if dtype.lanes == 0 || dtype.lanes > MAX_LANES {
            let message = format!("code is made for vectors of 1 to {MAX_LANES} lanes, found {}", dtype.lanes);
            return Err(self.unsupported(message));
        }
        Ok(())
    }

    /// A name for an internal function.
    pub(crate) fn internal_name(&mut self) -> String {
        self.functions += 1;
        format!("@k{}.{}", self.number, self.functions)
    }

    pub(crate) fn add_function(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Counts instructions of a function; an error when the kernel grows too large.
    pub(crate) fn check_length(&self, open: usize) -> Result<(), CodegenError> {
        if self.instructions + open > MAX_INSTRUCTIONS {
            return Err(self.unsupported(format!("the code has more than {MAX_INSTRUCTIONS} instructions")));
        }
        Ok(())
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The address of a text in the image.
    pub(crate) fn message(&mut self, text: &str) -> Value {
        let index = self.messages.insert_full(text.to_owned(), ()).0;
        let name = format!("@k{}.m{index}", self.number);
        Value::constant(match self.is_device() {
            true => format!("addrspacecast (ptr addrspace(1) {name} to ptr)"),
            false => name,
        })
    }

    /// Declares a C function; an error where it was declared with other types before.
    pub(crate) fn declare(&mut self, name: &str, declaration: String) -> Result<(), CodegenError> {
        match self.externs.get(name) {
            Some(known) if *known != declaration => {
                Err(self.unsupported(format!("`{name}` is called with different types: {known} and {declaration}")))
            }
            Some(_) => Ok(()),
            None => {
                self.externs.insert(name.to_owned(), declaration);
                Ok(())
            }
        }
    }

    /// Reserves scratch memory and gives its offset.
    pub(crate) fn reserve_scratch(&mut self, bytes: u64) -> Result<u64, CodegenError> {
        let offset = self.scratch_bytes;
        let end = offset.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(TENSOR_ALIGN as u64));
        match end {
            Some(end) if end <= MAX_SCRATCH_BYTES => self.scratch_bytes = end,
            _ => return Err(self.unsupported(format!("temporaries of more than {MAX_SCRATCH_BYTES} bytes"))),
        }
        Ok(offset)
    }

    /// The text of all functions and messages.
    pub(crate) fn finish(mut self) -> String {
        for (index, text) in self.messages.keys().enumerate() {
            let (number, bytes) = (self.number, text.as_bytes());
            let space = if self.target.arch == Arch::Nvptx64 { "addrspace(1) " } else { "" };
            let _ = writeln!(
                self.text,
                "@k{number}.m{index} = private unnamed_addr {space}constant [{} x i8] c{}, align 1",
                bytes.len(),
                quoted(bytes)
            );
        }
        let shared = self.shared_text();
        self.text.push_str(&shared);
        for declaration in self.externs.values() {
            let _ = writeln!(self.text, "declare {declaration}");
        }
        self.text.push('\n');
        self.text
    }
}
