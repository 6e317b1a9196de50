//! A condition without which the run ends.

use tilewright_ir::op::{AttrDefault, Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Ends the run with an error where the condition is false. The message is the format with `{}` replaced by the
    /// values in order.
    "assert_op" {
        args: {
            condition: Condition, "What has to be true.";
            format_args: Values, "What the message shows.";
        }
        attrs: { format: Str = AttrDefault::Str(""), "The message, with `{}` for each value."; }
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::Assert)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
