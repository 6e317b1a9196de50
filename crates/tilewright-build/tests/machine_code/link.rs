//! What the linker makes of objects, and what it refuses.

use crate::flat::{buffer, flat, neighbours, serial};
use tilewright_build::link::link;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{BinOp, Expr, Stmt};
use tilewright_target::Target;
use tilewright_tensor::DataType;

/// A kernel with constants of several sizes, a message, a table of lanes and calls outside.
fn kernel(symbol: &str) -> LowTir {
    let dtype = DataType::F32;
    let (a, r) = (buffer("A", 64, dtype), buffer("R", 64, dtype));
    let floats = serial(8, |i| {
        let lanes = neighbours(&(i * 8), 8);
        let value = Expr::load(&a, vec![lanes.clone()]).unwrap();
        let rest = Expr::binary(BinOp::Mod, &value, &Expr::float(0.7, dtype)).unwrap();
        let index = Expr::ramp(&Expr::float(0.0, dtype).cast(DataType::I32).unwrap(), &Expr::i32(3), 8).unwrap();
        let moved = &rest + &index.cast(dtype).unwrap();
        Stmt::store(&r, vec![lanes], &moved).unwrap()
    });
    flat(symbol, &[&a, &r], &[], floats)
}

fn object(target: &str, symbol: &str) -> Vec<u8> {
    tilewright_llvm::compile(&[kernel(symbol)], &Target::parse(target).unwrap(), &Default::default()).unwrap().elf
}

const X86: &str = "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell";
const ARM: &str = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1";

#[test]
fn objects_of_both_processors_link() {
    for target in [X86, ARM] {
        let (first, second) = (object(target, "first"), object(target, "second"));
        let image = link(&[&first, &second]).unwrap();
        assert_eq!(image.verify(), Ok(()));
        let names: Vec<&str> = image.exports.iter().map(|export| export.name.as_str()).collect();
        assert_eq!(names, ["tilewright.kernel.first", "tilewright.kernel.second"]);
        assert!(!image.externals.is_empty());
    }
}

#[test]
fn one_name_twice_and_mixed_processors_are_refused() {
    let (x86, arm) = (object(X86, "f"), object(ARM, "g"));
    assert!(link(&[&x86, &x86]).unwrap_err().to_string().contains("tilewright.kernel.f"));
    assert!(link(&[&x86, &arm]).unwrap_err().to_string().contains("different processors"));
    assert!(link(&[]).is_err() && link(&[b""]).is_err() && link(&[b"\x7fELF and then nothing"]).is_err());
}

#[test]
fn a_symbol_that_the_runtime_lacks_is_named() {
    let mut bytes = object(X86, "f");
    let place = bytes.windows(6).position(|window| window == b"fmodf\0").unwrap();
    bytes[place..place + 5].copy_from_slice(b"fmodx");
    assert!(link(&[&bytes]).unwrap_err().to_string().contains("`fmodx`"));
}

/// Numbers that look random and are the same in every run.
fn scramble(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn damaged_objects_are_errors_or_images_that_hold_together() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for target in [X86, ARM] {
        let whole = object(target, "f");
        for cut in (0..whole.len()).step_by(7) {
            if let Ok(image) = link(&[&whole[..cut]]) {
                assert_eq!(image.verify(), Ok(()));
            }
        }
        for _ in 0..20_000 {
            let mut damaged = whole.clone();
            for _ in 0..=scramble(&mut state) % 3 {
                let place = (scramble(&mut state) % whole.len() as u64) as usize;
                damaged[place] = match scramble(&mut state) % 3 {
                    0 => 0xff,
                    1 => 0x80,
                    _ => scramble(&mut state) as u8,
                };
            }
            if let Ok(image) = link(&[&damaged]) {
                assert_eq!(image.verify(), Ok(()));
            }
        }
    }
}
