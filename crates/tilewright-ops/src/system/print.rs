//! A line for the user.

use tilewright_ir::op::{AttrDefault, Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Prints a line when the program runs: the format with `{}` replaced by the values in order, or the values alone
    /// with blanks between them where no format is given. The runtime's function `relax.run.print` does it; a process
    /// that registers another one decides where the line is printed.
    "print" {
        args: { values: Values, "What the line shows."; }
        attrs: { format: Str = AttrDefault::Str(""), "The line, with `{}` for each value."; }
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::Print)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
