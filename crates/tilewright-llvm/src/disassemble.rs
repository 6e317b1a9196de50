//! Linked code as assembly, for looking at executables.
//!
//! An executable may come from anyone, and LLVM cannot go on where it is given a format of objects or a mode of a
//! processor that it cannot disassemble: it gets nothing of the executable's words but names of features, and does its
//! work in a [`job`], which reports what stops it.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::fmt::Write;
use std::ops::Range;
use std::ptr;

use inkwell::llvm_sys::disassembler::{
    LLVMCreateDisasmCPUFeatures, LLVMDisasmDispose, LLVMDisasmInstruction, LLVMDisassembler_ReferenceType_In_Branch,
    LLVMDisassembler_ReferenceType_InOut_None,
};

use crate::CodegenError;
use crate::machine::job;

/// More bytes than LLVM writes for an instruction.
const LINE_BYTES: usize = 256;

/// State of the symbol lookup callback.
struct Labels {
    /// The offsets that have a label.
    code: Range<u64>,
    /// Labels that were handed out; LLVM keeps their addresses until the next lookup.
    given: RefCell<Vec<CString>>,
}

/// The instructions in `range` of a text, a line for each: the offset in the text, and the instruction. Jumps inside
/// the range name the offset that they go to. `triple` and `features` say for which machine the code is, as an
/// executable does; what names no feature is left out. A byte that begins no instruction has a line of its own.
pub fn disassemble(
    text: &[u8],
    range: Range<usize>,
    triple: &str,
    features: &[String],
) -> Result<String, CodegenError> {
    let no_disassembler = || CodegenError::Target(format!("there is no disassembler for {triple:?}"));
    let name = machine(triple).ok_or_else(no_disassembler)?;
    let features: Vec<String> = features.iter().filter_map(|feature| added(feature)).collect();
    let features = CString::new(features.join(",")).map_err(|_| no_disassembler())?;
    let code = text.get(range.clone()).unwrap_or_default().to_vec();
    let lines = job(move || match lines(code, range, name, &features) {
        Some(lines) => Ok(lines.into_bytes()),
        None => Err(CodegenError::Target(format!("LLVM has no disassembler for {}", name.to_string_lossy()))),
    })?;
    String::from_utf8(lines).map_err(|_| no_disassembler())
}

/// The instructions of a range's code, if there is a disassembler.
fn lines(mut code: Vec<u8>, range: Range<usize>, name: &CStr, features: &CStr) -> Option<String> {
    let labels = Labels { code: range.start as u64..range.end as u64, given: RefCell::default() };
    let callback_data: *const Labels = &labels;
    // SAFETY: the strings end in a zero; `labels` outlives the context and is only read through this pointer.
    let context = unsafe {
        let (cpu, features) = (c"".as_ptr(), features.as_ptr());
        LLVMCreateDisasmCPUFeatures(
            name.as_ptr(),
            cpu,
            features,
            callback_data.cast_mut().cast(),
            0,
            None,
            Some(name_label),
        )
    };
    if context.is_null() {
        return None;
    }
    let mut lines = String::new();
    let mut at = 0;
    while at < code.len() {
        let mut line: [c_char; LINE_BYTES] = [0; LINE_BYTES];
        let rest = &mut code[at..];
        let offset = (range.start + at) as u64;
        // SAFETY: the context is alive, and the pointers are valid for as many bytes as is said.
        let length = unsafe {
            LLVMDisasmInstruction(context, rest.as_mut_ptr(), rest.len() as u64, offset, line.as_mut_ptr(), LINE_BYTES)
        };
        line[LINE_BYTES - 1] = 0;
        // SAFETY: the line ends in a zero, at the latest the one just written.
        let written = unsafe { CStr::from_ptr(line.as_ptr()) }.to_string_lossy();
        // Writing to a string does not fail.
        let _ = match length {
            0 => writeln!(lines, "{offset:8x}:\t.byte\t{:#04x}", code[at]),
            _ => writeln!(lines, "{offset:8x}:\t{}", written.trim()),
        };
        at += length.max(1);
        labels.given.borrow_mut().clear();
    }
    // SAFETY: the context is alive, and this is its last use.
    unsafe { LLVMDisasmDispose(context) };
    Some(lines)
}

/// The machine of a triple's architecture, by a name that has a disassembler.
fn machine(triple: &str) -> Option<&'static CStr> {
    match triple.split('-').next()? {
        "x86_64" | "amd64" => Some(c"x86_64-unknown-linux-gnu"),
        "aarch64" | "arm64" => Some(c"aarch64-unknown-linux-gnu"),
        _ => None,
    }
}

/// A feature as LLVM adds it. Nothing for what takes one away, is not one name, or changes how all code is read.
fn added(feature: &str) -> Option<String> {
    let name = feature.strip_prefix('+').unwrap_or(feature);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.bytes().all(plain);
    (is_name && !name.ends_with("bit-mode") && !name.ends_with("help")).then(|| format!("+{name}"))
}

/// The label of a branch target; none for other values.
extern "C" fn name_label(
    labels: *mut c_void,
    value: u64,
    kind: *mut u64,
    _from: u64,
    name: *mut *const c_char,
) -> *const c_char {
    // SAFETY: LLVM passes the pointer that it was given, and two pointers to write to.
    let (labels, is_branch) = unsafe {
        let is_branch = *kind == LLVMDisassembler_ReferenceType_In_Branch;
        *kind = LLVMDisassembler_ReferenceType_InOut_None;
        *name = ptr::null();
        (&*labels.cast::<Labels>(), is_branch)
    };
    if !is_branch || !labels.code.contains(&value) {
        return ptr::null();
    }
    let Ok(label) = CString::new(format!("{value:x}")) else { return ptr::null() };
    let address = label.as_ptr();
    labels.given.borrow_mut().push(label);
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_an_instruction_or_shown_as_it_is() {
        // jmp +1; a byte that is no instruction; ret; a part of an instruction.
        let code = [0x90, 0xeb, 0x01, 0x06, 0xc3, 0x0f];
        let text = disassemble(&code, 1..6, "x86_64-unknown-linux-gnu", &[]).unwrap();
        assert_eq!(text, "       1:\tjmp\t4\n       3:\t.byte\t0x06\n       4:\tretq\n       5:\t.byte\t0x0f\n");
        let features = ["avx512f".to_owned()];
        let text = disassemble(&[0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1], 0..6, "x86_64-linux-gnu", &features).unwrap();
        assert_eq!(text, "       0:\tvaddps\t%zmm1, %zmm0, %zmm0\n");
        assert_eq!(disassemble(&[0xc3], 1..4, "x86_64-linux-gnu", &[]).unwrap(), "");
        assert!(disassemble(&[0xc3], 0..1, "sparc-linux-gnu", &[]).is_err());
    }

    #[test]
    fn words_of_an_executable_do_not_reach_llvm() {
        for (triple, code, text) in [
            ("x86_64-unknown-linux-coff", &[0xc3][..], "retq"),
            ("x86_64", &[0xc3], "retq"),
            ("aarch64-apple-macosx-goff", &[0xc0, 0x03, 0x5f, 0xd6], "ret"),
        ] {
            let written = disassemble(code, 0..code.len(), triple, &[]).unwrap();
            assert_eq!(written.split_whitespace().last(), Some(text), "{triple}");
        }
        for triple in ["", "-", "x86_64\0", "i386-unknown-linux-gnu", "amdgcn-amd-amdhsa"] {
            assert!(disassemble(&[0xc3], 0..1, triple, &[]).is_err(), "{triple}");
        }
        for feature in ["sse2,-64bit-mode", "-64bit-mode", "+-64bit-mode", "16bit-mode", "sse2\0", "", "é", "help"] {
            let written = disassemble(&[0x48, 0x01, 0xc0], 0..3, "x86_64-linux-gnu", &[feature.to_owned()]).unwrap();
            assert_eq!(written, "       0:\taddq\t%rax, %rax\n", "{feature}");
        }
    }
}
