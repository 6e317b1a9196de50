//! A module, its print, and what is read from that.

use tilewright_ir::IRModule;
use tilewright_ir::verify::{Form, verify};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_script::print::{PrintOptions, print_module};
use tilewright_support::SourceFile;

/// The module is well-formed, is read back as the same however it is laid out, and its print does not change by that.
pub(crate) fn whole(module: &IRModule) -> Result<(), String> {
    verify(module, Form::Any).map_err(|faults| format!("{}\n{}", faults.0[0], text(module, None)))?;
    for width in [None, Some(60)] {
        let text_of_it = text(module, width);
        let back = parse_module(&SourceFile::new("printed.py", text_of_it.as_str()), &NoHost);
        let back = back.map_err(|errors| format!("{errors}\n{text_of_it}"))?;
        module.compare(&back).map_err(|difference| format!("{difference}\n{text_of_it}"))?;
        let again = text(&back, width);
        if again != text_of_it {
            return Err(format!("the print changes:\n{text_of_it}\n----\n{again}"));
        }
    }
    Ok(())
}

fn text(module: &IRModule, width: Option<usize>) -> String {
    print_module(module, &PrintOptions { show_meta: true, width, ..PrintOptions::default() })
}
