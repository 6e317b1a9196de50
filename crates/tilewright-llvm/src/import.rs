//! Code in LLVM's text form that functions bring with them: linked into the module, where it is internal.
//!
//! The functions of a text are those that kernels call as C functions, and get the names of these. What a text itself
//! calls and does not define is a C function of the process.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use tilewright_ir::Attr;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::attr_names;

use crate::{CodegenError, IMPORT_PREFIX};

/// Stands in front of each text in the text of a module.
const MARK: &str = "\n; tilewright: imported code\n";

/// The texts that the functions bring, each once, to follow the module's own.
pub(crate) fn texts(functions: &[LowTir]) -> String {
    let mut all: Vec<&str> = Vec::new();
    for function in functions {
        if let Some(Attr::Array(texts)) = function.function().attrs.get(attr_names::LLVM_IMPORTS) {
            let new: Vec<&str> = texts.iter().filter_map(Attr::as_str).filter(|text| !all.contains(text)).collect();
            all.extend(new);
        }
    }
    all.into_iter().map(|text| format!("{MARK}{text}")).collect()
}

/// The module's own text, and those that it brings.
pub(crate) fn split(text: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut parts = text.split(MARK);
    (parts.next().unwrap_or_default(), parts)
}

/// Links a text into the module.
pub(crate) fn link<'a>(context: &'a Context, module: &Module<'a>, text: &str) -> Result<(), CodegenError> {
    let refused = |what: String| CodegenError::Llvm(format!("the code of `pragma_import_llvm`: {what}"));
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "imported");
    let import = context.create_module_from_ir(buffer).map_err(|error| refused(error.to_string()))?;
    import.set_triple(&module.get_triple());
    import.set_data_layout(&module.get_data_layout());
    let mut defined = Vec::new();
    for function in import.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        if name.starts_with("llvm.") {
            continue;
        }
        let symbol = format!("{IMPORT_PREFIX}{name}");
        function.as_global_value().set_name(&symbol);
        if let Some(called) = module.get_function(&symbol)
            && called.get_type() != function.get_type()
        {
            let (called, own) = (called.get_type(), function.get_type());
            return Err(refused(format!("`{name}` is {own}, and the kernel calls it as {called}")));
        }
        if function.count_basic_blocks() > 0 {
            defined.push(symbol);
        }
    }
    let globals: Vec<String> = import
        .get_globals()
        .filter(|global| global.get_initializer().is_some())
        .map(|global| global.get_name().to_string_lossy().into_owned())
        // Such as `llvm.used`: their linkage is part of their meaning.
        .filter(|name| !name.starts_with("llvm."))
        .collect();
    import.verify().map_err(|error| refused(error.to_string()))?;
    module.link_in_module(import).map_err(|error| refused(error.to_string()))?;
    for function in defined.iter().filter_map(|symbol| module.get_function(symbol)) {
        function.set_linkage(Linkage::Internal);
    }
    for global in globals.iter().filter_map(|name| module.get_global(name)) {
        global.set_linkage(Linkage::Internal);
    }
    Ok(())
}
