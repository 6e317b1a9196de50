//! Every operation on every type in vectors of every sort of length, compiled and linked for every sort of target: all
//! of it becomes code that calls nothing but the runtime's symbols, or an error that says what cannot be; LLVM never
//! ends the process. What the code computes is the business of `scalar_table`.
//!
//! The test takes a part of the matrix: each cell for half of the targets and one length, both of which change from
//! cell to cell. With `TILEWRIGHT_MATRIX=full` it takes all of it and prints how many kernels each target got.

use std::collections::BTreeMap;

use tilewright_expr::can_reinterpret;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Stmt, StmtKind};
use tilewright_llvm::CodegenError;
use tilewright_target::Target;
use tilewright_tensor::DataType;

use crate::flat::{buffer, flat, lowered, neighbours};

const TARGETS: [&str; 6] = ["x86-64", "haswell", "skylake-avx512", "znver4", "neoverse-n1", "neoverse-v1"];

/// One lane, less than a register, odd ones, one register of every target, several of the widest.
const LANES: [u16; 9] = [1, 2, 3, 4, 5, 8, 16, 31, 64];

/// Kernels of one compilation: enough to share its cost, few enough that a failure is soon found.
const BATCH: usize = 64;

/// An operation with all its types: a name, and how a kernel of so many lanes looks.
struct Cell {
    name: String,
    group: &'static str,
    write: Box<dyn Fn(u16) -> Option<Stmt>>,
    buffers: Vec<Buffer>,
}

/// Buffers long enough for every access below.
fn operand(dtype: DataType) -> Buffer {
    buffer("a", 1024, dtype)
}

/// The elements of a buffer in so many lanes.
fn load(from: &Buffer, lanes: u16) -> Expr {
    Expr::load(from, vec![neighbours(&Expr::i64(0), lanes)]).unwrap()
}

fn store(to: &Buffer, value: &Expr) -> Option<Stmt> {
    Stmt::store(to, vec![neighbours(&Expr::i64(0), value.dtype.lanes)], value).ok()
}

/// `r = f(a, …)` for operands of these types.
fn compute(
    name: String,
    group: &'static str,
    types: &[DataType],
    result: DataType,
    f: impl Fn(&[Expr]) -> Option<Expr> + 'static,
) -> Cell {
    let operands: Vec<Buffer> = types.iter().map(|&dtype| operand(dtype)).collect();
    let r = buffer("r", 1024, result);
    let buffers = operands.iter().chain([&r]).cloned().collect();
    let write = move |lanes| store(&r, &f(&operands.iter().map(|b| load(b, lanes)).collect::<Vec<_>>())?);
    Cell { name, group, write: Box::new(write), buffers }
}

fn arithmetic(cells: &mut Vec<Cell>, dtype: DataType) {
    for op in BinOp::ALL.into_iter().filter(|op| op.takes(dtype)) {
        let write = move |v: &[Expr]| Expr::binary(op, &v[0], &v[1]).ok();
        cells.push(compute(format!("{op:?} {dtype}"), "operators", &[dtype; 2], dtype, write));
    }
    for op in CmpOp::ALL {
        let write = move |v: &[Expr]| Expr::compare(op, &v[0], &v[1]).ok();
        cells.push(compute(format!("{op:?} {dtype}"), "comparisons", &[dtype; 2], DataType::BOOL, write));
    }
    let select = |v: &[Expr]| Expr::select(&v[0], &v[1], &v[2]).ok();
    cells.push(compute(format!("select {dtype}"), "choices", &[DataType::BOOL, dtype, dtype], dtype, select));
    let choose = |v: &[Expr]| {
        let condition = Expr::shuffle(vec![v[0].clone()], vec![0]).ok()?;
        Expr::call(Intrinsic::IfThenElse, &[condition, v[1].clone(), v[2].clone()]).ok()
    };
    cells.push(compute(format!("if_then_else {dtype}"), "choices", &[DataType::BOOL, dtype, dtype], dtype, choose));
    for &intrinsic in Intrinsic::ALL.iter().filter(|which| **which != Intrinsic::IfThenElse) {
        let types = vec![dtype; intrinsic.arity()];
        let Some(result) = intrinsic.result(&types) else { continue };
        let write = move |v: &[Expr]| Expr::call(intrinsic, v).ok();
        cells.push(compute(format!("{} {dtype}", intrinsic.name()), "functions", &types, result, write));
    }
    for to in DataType::TENSOR_ELEMENTS.into_iter().filter(|&to| to != dtype) {
        let write = move |v: &[Expr]| v[0].cast(to).ok();
        cells.push(compute(format!("{dtype} to {to}"), "conversions", &[dtype], to, write));
        if can_reinterpret(dtype, to) {
            let write = move |v: &[Expr]| v[0].reinterpret(to.with_lanes(v[0].dtype.lanes)).ok();
            cells.push(compute(format!("{dtype} as {to}"), "conversions", &[dtype], to, write));
        }
    }
}

/// Indices of so many lanes, by the way in which they lie.
fn indices(lanes: u16) -> Vec<(&'static str, Expr)> {
    let first = Expr::i64(if lanes == 1 { 0 } else { 600 });
    let ramp =
        |stride: i64| if lanes == 1 { first.clone() } else { Expr::ramp(&first, &Expr::i64(stride), lanes).unwrap() };
    let steps = ramp(1);
    let squares = Expr::binary(BinOp::Mul, &steps, &steps).unwrap();
    let anywhere = Expr::binary(BinOp::FloorMod, &squares, &Expr::int(1024, squares.dtype)).unwrap();
    let one = first.broadcast(lanes).unwrap();
    vec![("neighbours", ramp(1)), ("backwards", ramp(-1)), ("apart", ramp(3)), ("one", one), ("anywhere", anywhere)]
}

fn memory(cells: &mut Vec<Cell>, dtype: DataType) {
    for (number, (way, _)) in indices(2).into_iter().enumerate() {
        for masked in [false, true] {
            let (from, to, mask) = (operand(dtype), buffer("r", 1024, dtype), operand(DataType::BOOL));
            let buffers = vec![from.clone(), mask.clone(), to.clone()];
            let write = move |lanes| {
                let index = indices(lanes).swap_remove(number).1;
                let predicate = masked.then(|| load(&mask, lanes));
                let value = Expr::load_where(&from, vec![index.clone()], predicate.clone()).ok()?;
                Some(Stmt::seq([
                    store(&to, &value)?,
                    Stmt::store_where(&to, vec![index], &load(&from, lanes), predicate).ok()?,
                ]))
            };
            let name = format!("{}{way} {dtype}", if masked { "masked " } else { "" });
            cells.push(Cell { name, group: "memory", write: Box::new(write), buffers });
        }
    }
    let reverse =
        |v: &[Expr]| Expr::shuffle(vec![v[0].clone()], (0..usize::from(v[0].dtype.lanes)).rev().collect()).ok();
    cells.push(compute(format!("shuffle {dtype}"), "vectors", &[dtype], dtype, reverse));
    let spread = |v: &[Expr]| Expr::shuffle(vec![v[0].clone()], vec![0]).ok()?.broadcast(v[0].dtype.lanes).ok();
    cells.push(compute(format!("broadcast {dtype}"), "vectors", &[dtype], dtype, spread));
    if dtype.is_int() {
        let ramp = |v: &[Expr]| {
            let lanes = v[0].dtype.lanes;
            let base = Expr::shuffle(vec![v[0].clone()], vec![0]).ok()?;
            if lanes == 1 { Some(base) } else { Expr::ramp(&base, &Expr::int(3, base.dtype), lanes).ok() }
        };
        cells.push(compute(format!("ramp {dtype}"), "vectors", &[dtype], dtype, ramp));
    }
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for dtype in DataType::TENSOR_ELEMENTS {
        arithmetic(&mut cells, dtype);
        memory(&mut cells, dtype);
    }
    for dtype in DataType::STORED_ELEMENTS.into_iter().filter(|dtype| !dtype.is_packed()) {
        memory(&mut cells, dtype);
    }
    cells
}

/// The kernel of a cell as code generation gets it: after the last steps of lowering.
fn kernel(target: &Target, cell: &Cell, lanes: u16) -> Option<LowTir> {
    let low =
        flat(&format!("{} x{lanes}", cell.name), &cell.buffers.iter().collect::<Vec<_>>(), &[], (cell.write)(lanes)?);
    Some(lowered(target, &low))
}

/// Compiles and links; what is refused is refused for a reason that a user can read.
fn compile(kernels: &[LowTir], target: &Target, refused: &mut Vec<String>) {
    match tilewright_llvm::compile(kernels, target, &Default::default()) {
        Ok(object) => {
            let image = tilewright_build::link::link(&[&object.elf]).unwrap_or_else(|e| panic!("{target}: {e}"));
            assert!(image.imports.is_empty());
        }
        Err(_) if kernels.len() > 1 => kernels.chunks(1).for_each(|one| compile(one, target, refused)),
        Err(CodegenError::Unsupported { symbol, what }) => refused.push(format!("{symbol}: {what}")),
        Err(error) => panic!("{} for {target}: {error}", kernels[0].symbol()),
    }
}

#[test]
fn every_operation_compiles_for_every_target_or_is_refused() {
    let full = std::env::var_os("TILEWRIGHT_MATRIX").is_some_and(|value| value == "full");
    let cells = cells();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut refused = Vec::new();
    for (column, name) in TARGETS.iter().enumerate() {
        let target = Target::parse(&format!("llvm -mcpu={name}")).unwrap();
        let mut kernels = Vec::new();
        for (row, cell) in cells.iter().enumerate() {
            // Neighbours in the matrix differ, and so do the columns: every length meets every sort of operation.
            let (picked, skipped) =
                ((row * 7 + column * 5) % LANES.len(), (row + row / TARGETS.len() + column) % 2 == 1);
            let some = LANES.iter().enumerate().filter(|(number, _)| full || (*number == picked && !skipped));
            let some = some.filter_map(|(_, &lanes)| kernel(&target, cell, lanes));
            let before = kernels.len();
            kernels.extend(some);
            *counts.entry((cell.group, name)).or_default() += kernels.len() - before;
        }
        for batch in kernels.chunks(BATCH) {
            compile(batch, &target, &mut refused);
        }
    }
    // The few that need more of LLVM than it has would stand here.
    assert_eq!(refused, Vec::<String>::new());
    let total: usize = counts.values().sum();
    assert!(total >= cells.len() * TARGETS.len() / 2, "{total} kernels of {} cells", cells.len());
    if full {
        print_table(&counts);
    }
}

fn print_table(counts: &BTreeMap<(&str, &str), usize>) {
    println!("| operations | {} |", TARGETS.join(" | "));
    println!("|---|{}", "---|".repeat(TARGETS.len()));
    let mut groups: Vec<&str> = counts.keys().map(|(group, _)| *group).collect();
    groups.dedup();
    for group in groups {
        let row = TARGETS.map(|name| counts.get(&(group, name)).copied().unwrap_or(0).to_string());
        println!("| {group} | {} |", row.join(" | "));
    }
}

#[test]
fn kernels_that_cannot_be_compiled_are_errors_with_a_reason() {
    let wide = buffer("a", 4096, DataType::F32);
    let body = store(&wide, &load(&wide, 1024)).unwrap();
    let packed = buffer("a", 16, DataType::U4);
    for (low, reason) in [
        (flat("wide", &[&wide], &[], body), "1 to 512 lanes, found 1024"),
        (flat("packed", &[&packed], &[], StmtKind::Seq(Vec::new()).into()), "elements of type uint4 share bytes"),
    ] {
        for name in TARGETS {
            let target = Target::parse(&format!("llvm -mcpu={name}")).unwrap();
            let error = tilewright_llvm::compile(std::slice::from_ref(&low), &target, &Default::default()).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
