//! What the machine code of a few kernels has to look like.

use tilewright_ir::Attrs;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ForKind, Param, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use crate::{Options, compile, emit_asm, emit_llvm_ir};

fn haswell() -> Target {
    Target::parse("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell").unwrap()
}

fn kernel(symbol: &str, params: Vec<Param>, body: Stmt) -> LowTir {
    let function = PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() };
    LowTir::new(symbol, function).unwrap_or_else(|d| panic!("{}", d.render(false)))
}

fn buffer(name: &str, elements: i64, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i64(elements)], dtype)
}

fn add(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::Add, a, b).unwrap()
}

fn mul(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::Mul, a, b).unwrap()
}

/// Eight neighbours of a buffer, from `base` on.
fn eight(base: &Expr) -> Vec<Expr> {
    vec![Expr::ramp(base, &Expr::i32(1), 8).unwrap()]
}

/// `c[6, 16] = a[k, 6]^T @ b[k, 16]` with packed panels and twelve accumulators.
fn register_tile(k: i32) -> LowTir {
    let (rows, columns) = (6, 16);
    let (k64, f32) = (i64::from(k), DataType::F32);
    let (a, b, c) = (buffer("A", k64 * 6, f32), buffer("B", k64 * 16, f32), buffer("C", 96, f32));
    let acc = buffer("acc", 96, f32).derive(|node| node.scope = Scope::Local);
    let step = Var::new("k", DataType::I32);
    let at = |row: i32, half: i32| eight(&Expr::i32(row * columns + half * 8));
    let (mut zero, mut update, mut write) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        for half in 0..2 {
            zero.push(Stmt::store(&acc, at(row, half), &Expr::float(0.0, f32).broadcast(8).unwrap()).unwrap());
            let from_a = add(&mul(&Expr::var(&step), &Expr::i32(rows)), &Expr::i32(row));
            let from_a = Expr::load(&a, vec![from_a]).unwrap().broadcast(8).unwrap();
            let from_b = add(&mul(&Expr::var(&step), &Expr::i32(columns)), &Expr::i32(half * 8));
            let from_b = Expr::load(&b, eight(&from_b)).unwrap();
            let sum = add(&Expr::load(&acc, at(row, half)).unwrap(), &mul(&from_a, &from_b));
            update.push(Stmt::store(&acc, at(row, half), &sum).unwrap());
            write.push(Stmt::store(&c, at(row, half), &Expr::load(&acc, at(row, half)).unwrap()).unwrap());
        }
    }
    let run = Stmt::for_loop(&step, Expr::i32(0), Expr::i32(k), ForKind::Serial, Stmt::seq(update));
    let body = Stmt::seq(zero.into_iter().chain([run]).chain(write));
    let body = StmtKind::Allocate { buffer: acc, body }.into();
    kernel("tile", vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&c)], body)
}

#[test]
fn a_register_tile_stays_in_registers() {
    let asm = emit_asm(&[register_tile(256)], &haswell(), &Options::default()).unwrap();
    let multiply_adds = asm.matches("vfmadd").count();
    assert_eq!(multiply_adds, 12, "{asm}");
    assert!(!asm.contains("rsp)"), "a spill:\n{asm}");
}
