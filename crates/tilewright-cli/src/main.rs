//! The program `tilewright`; all of it is in the library.

fn main() -> std::process::ExitCode {
    tilewright_cli::main(std::env::args_os()).into()
}
