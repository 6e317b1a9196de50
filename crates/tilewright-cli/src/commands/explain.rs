//! `tilewright explain`: what a code means, with a wrong and a right example.

use tilewright::codes;
use tilewright::support::nearest;

use crate::failure::{Failure, Outcome};
use crate::output::{print, say};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A code such as TW0303; without one, all codes are listed.
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Some(code) = &arguments.code else {
        return codes::ALL.iter().try_for_each(|page| say!("{}  {}", page.code, page.title()));
    };
    match codes::page(code) {
        Some(page) => print(page.text),
        None => Err(Failure::Message(unknown(code))),
    }
}

fn unknown(code: &str) -> String {
    match nearest(&code.to_ascii_uppercase(), codes::ALL.iter().map(|page| page.code)) {
        Some(near) => format!("there is no code `{code}`: did you mean `{near}`?"),
        None => format!("there is no code `{code}`: `tilewright explain` lists them all"),
    }
}
