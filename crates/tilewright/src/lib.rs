//! tilewright: the Rust API: `compile(module, target, pipeline)`; owns pipelines and the list of targets
