//! A hand-written GEMM: the inner loop that code generation gets.

use tilewright_ir::tir::{BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, PrimFunc, Range, Stmt, Var};

use super::build::*;
use super::{Input, check};

/// The shape of `benches/gemm.py`, small: register tiles of `rows` × `columns`, A packed inside.
fn gemm(m: i64, n: i64, k: i64, (rows, columns, depth, block): (i64, i64, i64, i64), outer_kind: ForKind) -> PrimFunc {
    let (panels, steps, sweep) = (n / columns, k / depth, rows * block);
    let blocks = (m + sweep - 1) / sweep;
    let (a, b, c) = (buffer("A", &[m, k]), buffer("B", &[panels, k, columns]), buffer("C", &[m, n]));
    let (packed, tile_sum) = (buffer("packed", &[block, depth, rows]), local("tile_sum", &[rows, columns]));
    let [step, outer, tile, kk, i, panel, j] = ["step", "outer", "tile", "k", "i", "panel", "j"].map(var);
    let row = |tile: &Var, i: &Var| &(&(&of(&outer) * sweep) + &(&of(tile) * rows)) + &of(i);
    let depth_index = &(&of(&step) * depth) + &of(&kk);
    let clamped = binary(BinOp::Min, &row(&tile, &i), &int(m - 1));
    let value = if_then_else(&less(&row(&tile, &i), &int(m)), &load(&a, &[clamped, depth_index.clone()]), &float(0.0));
    let pack = nest(
        [serial(&tile, block), serial(&kk, depth), (&i, rows, ForKind::Unrolled)],
        store(&packed, &[of(&tile), of(&kk), of(&i)], &value),
    );
    let lanes = |j| (j, columns, ForKind::Vectorized);
    let unrolled = |i| (i, rows, ForKind::Unrolled);
    let at = [of(&i), of(&j)];
    let clear = nest([unrolled(&i), lanes(&j)], store(&tile_sum, &at, &float(0.0)));
    let product = binary(
        BinOp::Mul,
        &load(&packed, &[of(&tile), of(&kk), of(&i)]),
        &load(&b, &[of(&panel), depth_index, of(&j)]),
    );
    let update = store(&tile_sum, &at, &binary(BinOp::Add, &load(&tile_sum, &at), &product));
    let update = nest([serial(&kk, depth), unrolled(&i), lanes(&j)], update);
    let indices = [row(&tile, &i), &(&of(&panel) * columns) + &of(&j)];
    let sum = load(&tile_sum, &at);
    let write = when(
        Expr::compare(CmpOp::Eq, &of(&step), &int(0)).unwrap(),
        store(&c, &indices, &sum),
        Some(store(&c, &indices, &binary(BinOp::Add, &load(&c, &indices), &sum))),
    );
    let write = when(less(&row(&tile, &i), &int(m)), nest([lanes(&j)], write), None);
    let write = nest([unrolled(&i)], write);
    let compute = nest([serial(&panel, panels), serial(&tile, block)], Stmt::seq([clear, update, write]));
    // Variables are bound once each.
    let compute = crate::substitute::copy_with(&compute, []);
    // Iterations of a parallel loop have temporaries of their own: those of a block inside.
    let body = if outer_kind == ForKind::Parallel {
        let whole = |buffer: &Buffer| BufferRegion {
            buffer: buffer.clone(),
            region: buffer.shape.iter().cloned().map(Range::up_to).collect(),
        };
        let reads = vec![whole(&a), whole(&b), whole(&c)];
        let inner = super::build::block("sweep", Vec::new(), vec![whole(&c)], reads, Stmt::seq([pack, compute]));
        let alloc_buffers = vec![packed, tile_sum];
        return function(
            &[&a, &b, &c],
            &[],
            nest(
                [serial(&step, steps), (&outer, blocks, outer_kind)],
                realize(&[], Expr::bool(true), Block { alloc_buffers, ..inner }),
            ),
        );
    } else {
        nest([serial(&step, steps), (&outer, blocks, outer_kind)], Stmt::seq([pack, compute]))
    };
    function(&[&a, &b, &c], &[&packed, &tile_sum], body)
}

fn inputs(m: i64, n: i64, k: i64, columns: i64) -> [Input; 3] {
    [Input::F32(vec![m, k]), Input::F32(vec![n / columns, k, columns]), Input::F32(vec![m, n])]
}

/// The lines of the innermost loop over `k` that updates the tile.
fn update_loop(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().rposition(|line| line.contains("for k in")).unwrap();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let inside = lines[start + 1..].iter().take_while(|line| indent(line) > indent(lines[start]));
    inside.map(|line| line.trim()).collect()
}

#[test]
fn the_inner_loop_is_loads_broadcasts_and_multiply_adds_at_constant_indices() {
    let text = check(&gemm(14, 32, 8, (6, 16, 4, 2), ForKind::Serial), &inputs(14, 32, 8, 16));
    let expected: Vec<String> = (0..6)
        .map(|i| {
            let (at, a) = (i * 16, if i == 0 { String::new() } else { format!(" + {i}") });
            let a = if i == 0 { "(tile * 24 + k * 6)".to_owned() } else { format!("((tile * 24 + k * 6){a})") };
            format!("tile_sum[{at}:16] = (tile_sum[{at}:16] + x16(packed[{a}]) * B[((panel * 128 + step * 64) + k * 16):16])")
        })
        .collect();
    assert_eq!(update_loop(&text), expected, "{text}");
    assert!(text.contains("alloc tile_sum[96] local"), "{text}");
}

#[test]
fn temporaries_of_a_parallel_loop_move_into_it() {
    let text = check(&gemm(14, 32, 8, (6, 16, 4, 2), ForKind::Parallel), &inputs(14, 32, 8, 16));
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"));
    assert!(at("Parallel") < at("alloc packed") && at("alloc packed") < at("for tile"), "{text}");
    assert!(at("for panel") < at("alloc tile_sum"), "{text}");
}

#[test]
fn the_work_of_lowering_does_not_grow_with_the_sizes() {
    // Work is counted in bytes that are asked for, whether they are kept or not.
    let work = |size: i64| {
        let gemm = gemm(size, size, size, (6, 16, size / 4, (size / 4 + 5) / 6), ForKind::Serial);
        let lower = || drop(crate::lower("gemm", &gemm).unwrap());
        allocation_counter::measure(lower).bytes_total
    };
    let (small, large) = (work(1024), work(16_384));
    assert!(large < small * 3 / 2, "{small} bytes for sizes of 1024, {large} for sizes of 16384");
}
