//! `get_block(name, func_name)`: the block of this name.

use tilewright_support::nearest;

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::fault::Fault;
use crate::site::{follow, is_block, key_at, search};

pub(crate) const GET_BLOCK: Primitive = Primitive {
    name: "GetBlock",
    method: "get_block",
    doc: "The block of this name, in the function of that name or the one that is worked on.",
    params: &[("name", Default::Required), ("func_name", Default::None)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (root, wanted) = (&call.function.body, call.text(0)?);
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    search(root, |stmt, path| {
        if let tilewright_ir::tir::StmtKind::Block { block, .. } = &stmt.kind
            && is_block(stmt)
        {
            names.push(block.name.to_string());
            if *block.name == *wanted {
                paths.push(path.to_vec());
            }
        }
        None::<()>
    });
    match paths.as_slice() {
        [path] => {
            let key = follow(root, path).and_then(|site| key_at(root, &site));
            Ok(Outcome::found(key.map_or(Results::Nothing, Results::One)))
        }
        [] => {
            let hint =
                nearest(wanted, names.iter().map(String::as_str)).map(|name| format!(": did you mean `{name}`?"));
            let known = || format!("; it has {}", names.join(", "));
            Err(Fault::of_call(format!("the function has no block `{wanted}`{}", hint.unwrap_or_else(known))))
        }
        several => {
            let second = several.get(1).and_then(|path| follow(root, path));
            let message = format!("the function has {} blocks `{wanted}`", several.len());
            Err(second.map_or_else(|| Fault::of_call(message.clone()), |site| Fault::at(&site, message.clone())))
        }
    }
}
