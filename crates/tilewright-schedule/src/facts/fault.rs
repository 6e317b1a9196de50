//! Why a schedule step does not apply, and at which loop or block.

use tilewright_expr::node::Path;

use crate::facts::tree::Site;

/// Why a primitive was not applied.
#[derive(Clone, Debug)]
pub struct Fault {
    pub message: String,
    /// The loop or block that is concerned, from the function on.
    pub path: Option<Path>,
}

impl Fault {
    pub(crate) fn at(site: &Site, message: impl Into<String>) -> Self {
        Self { message: message.into(), path: Some(site.path()) }
    }

    pub(crate) fn of_call(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: None }
    }
}
