//! Passes by the names that users write on the command line.

use std::sync::Arc;

use tilewright_ir::pass::Pass;
use tilewright_support::nearest;

/// The names of all passes and pipelines that need no arguments, in the order of their lists.
pub fn names() -> Vec<&'static str> {
    let pipelines = crate::pipelines::ALL.iter().map(|(name, _)| *name);
    tilewright_relax_passes::all_passes().iter().map(|pass| pass.info().name).chain(pipelines).collect()
}

/// A pass or pipeline by name; an unknown name is an error that suggests a near one.
pub fn by_name(name: &str) -> Result<Arc<dyn Pass>, String> {
    if let Some(pipeline) = crate::pipelines::by_name(name) {
        return Ok(Arc::new(pipeline));
    }
    match tilewright_relax_passes::all_passes().into_iter().find(|pass| pass.info().name == name) {
        Some(pass) => Ok(pass),
        None => Err(match nearest(name, names()) {
            Some(near) => format!("unknown pass `{name}`: did you mean `{near}`?"),
            None => format!("unknown pass `{name}`: expected one of {}", names().join(", ")),
        }),
    }
}
