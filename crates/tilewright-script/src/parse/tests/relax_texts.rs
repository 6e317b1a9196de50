//! The textual tests of graphs: printed text reads back as the same module, and prints the same again.

use tilewright_support::SourceFile;

use crate::parse::{NoHost, parse_module};
use crate::print::{PrintOptions, print_module};

const TEXTS: [(&str, &str); 9] = [
    ("branches", include_str!("../relax/branches.py")),
    ("calls_between_levels", include_str!("../relax/calls_between_levels.py")),
    ("casts", include_str!("../relax/casts.py")),
    ("closures", include_str!("../relax/closures.py")),
    ("devices", include_str!("../relax/devices.py")),
    ("devices_elsewhere", include_str!("../relax/devices_elsewhere.py")),
    ("memory", include_str!("../relax/memory.py")),
    ("tuples", include_str!("../relax/tuples.py")),
    ("unknown", include_str!("../relax/unknown.py")),
];

#[test]
fn printed_graphs_read_back() {
    for (name, text) in TEXTS.into_iter().chain([("values", include_str!("../relax/values.py"))]) {
        let input = text.split("# expect:").next().unwrap_or_default();
        for width in [None, Some(60)] {
            let options = PrintOptions { show_meta: true, width, ..PrintOptions::default() };
            let module = parse_module(&SourceFile::new(name, input), &NoHost).unwrap_or_else(|e| panic!("{name}: {e}"));
            let printed = print_module(&module, &options);
            let again = parse_module(&SourceFile::new(name, printed.as_str()), &NoHost);
            let again = again.unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
            assert!(module.compare(&again).is_ok(), "{name}: {:?}\n{printed}", module.compare(&again));
            assert_eq!(print_module(&again, &options), printed, "{name}");
        }
    }
}
