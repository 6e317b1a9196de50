//! A module, its print, and what is read from that.

use tilewright_ir::IRModule;
use tilewright_ir::verify::{Form, verify};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_script::print::{Prefixes, PrintOptions, print_module};
use tilewright_support::SourceFile;
use tilewright_tensor::DataType;

/// The module is well-formed, is read back as the same however it is laid out and spelled, and its print does not
/// change by that.
pub(crate) fn whole(module: &IRModule) -> Result<(), String> {
    let usual = PrintOptions { show_meta: true, ..PrintOptions::default() };
    verify(module, Form::Any).map_err(|faults| format!("{}\n{}", faults.0[0], print_module(module, &usual)))?;
    let narrow = PrintOptions { width: Some(60), ..usual.clone() };
    for options in [usual, narrow, plain(), other_words()] {
        let text = print_module(module, &options);
        let back = parse_module(&SourceFile::new("printed.py", text.as_str()), &NoHost);
        let back = back.map_err(|errors| format!("{errors}\n{text}"))?;
        module.compare(&back).map_err(|difference| format!("{difference}\n{text}"))?;
        let again = print_module(&back, &options);
        if again != text {
            return Err(format!("the print changes:\n{text}\n----\n{again}"));
        }
    }
    Ok(())
}

/// Nothing is shortened.
fn plain() -> PrintOptions {
    PrintOptions {
        show_meta: true,
        syntax_sugar: false,
        buffer_dtype: DataType::VOID,
        int_dtype: DataType::VOID,
        module_alias: String::new(),
        ..PrintOptions::default()
    }
}

/// Other names for what the language itself names, and as few types as can be.
fn other_words() -> PrintOptions {
    PrintOptions {
        show_meta: true,
        name: "x".into(),
        prefixes: Prefixes { ir: "lv".into(), tir: "i".into(), relax: "relax".into() },
        module_alias: "v".into(),
        float_dtype: DataType::F32,
        show_all_struct_info: false,
        indent: 2,
        ..PrintOptions::default()
    }
}
