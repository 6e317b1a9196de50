//! `mma`, `ldmatrix`, `stmatrix` and `wgmma` against products of matrices, with the layouts of the PTX manual.

use tilewright_ptx_sim::{FaultKind, Options};

use crate::harness::{Arg, Device, SEEDS};

/// Small integers, which every type holds: sums of their products are exact.
fn small(row: usize, column: usize, salt: usize) -> i32 {
    ((row * 7 + column * 13 + salt * 5 + row * column) % 9) as i32 - 4
}

/// The bits of a small integer in a type.
fn encode(ty: &str, x: i32) -> u32 {
    let single = (x as f32).to_bits();
    match ty {
        "f32" | "tf32" => single,
        "bf16" => single >> 16,
        "s8" => x as u8 as u32,
        "s32" => x as u32,
        _ if x == 0 => 0,
        "f16" => (single >> 16 & 0x8000) | ((single >> 23 & 0xff) + 15 - 127) << 10 | (single >> 13 & 0x3ff),
        "e4m3" => (single >> 24 & 0x80) | ((single >> 23 & 0xff) + 7 - 127) << 3 | (single >> 20 & 7),
        _ => unreachable!("{ty}"),
    }
}

fn bits(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 16,
        "s8" | "e4m3" => 8,
        _ => 32,
    }
}

/// The registers of a lane: elements from the lowest bits.
fn pack(ty: &str, elements: &[i32]) -> Vec<u32> {
    let per = 32 / bits(ty);
    let word = |part: &[i32]| part.iter().enumerate().map(|(i, x)| encode(ty, *x) << (i * bits(ty))).sum();
    elements.chunks(per).map(word).collect()
}

/// Row and k of element `i` of A, and k of that of B, by the tables of the manual.
fn place_a(ty: &str, k: usize, i: usize, g: usize, t: usize) -> (usize, usize) {
    match (bits(ty), k) {
        (16, 16) => {
            (if i < 2 || (4..6).contains(&i) { g } else { g + 8 }, t * 2 + (i & 1) + if i >= 4 { 8 } else { 0 })
        }
        (16, _) => (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)),
        (32, 8) => (if i & 1 == 0 { g } else { g + 8 }, if i < 2 { t } else { t + 4 }),
        (32, _) => (if i == 0 { g } else { g + 8 }, t),
        (_, 32) => {
            (if i < 4 || (8..12).contains(&i) { g } else { g + 8 }, t * 4 + (i & 3) + if i >= 8 { 16 } else { 0 })
        }
        _ => (if i < 4 { g } else { g + 8 }, t * 4 + (i & 3)),
    }
}

fn place_b(ty: &str, i: usize, t: usize) -> usize {
    match bits(ty) {
        16 => t * 2 + (i & 1) + if i >= 2 { 8 } else { 0 },
        32 => t + 4 * i,
        _ => t * 4 + (i & 3) + if i >= 4 { 16 } else { 0 },
    }
}

fn registers(name: &str, count: usize) -> String {
    (0..count).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ")
}

fn check_mma(k: usize, ty: &str, sum: &str) {
    let (na, nb) = (16 * k / 32, 8 * k / 32);
    let lanes: Vec<(usize, usize)> = (0..32).map(|lane| (lane / 4, lane % 4)).collect();
    let mut input = Vec::new();
    for &(g, t) in &lanes {
        let a: Vec<i32> = (0..na).map(|i| place_a(ty, k, i, g, t)).map(|(row, k)| small(row, k, 1)).collect();
        let b: Vec<i32> = (0..nb).map(|i| small(place_b(ty, i, t), g, 2)).collect();
        let c: Vec<i32> = (0..4).map(|i| small(g + i / 2 * 8, t * 2 + i % 2, 3)).collect();
        input.extend([pack(ty, &a), pack(ty, &b), pack(sum, &c)].concat());
    }
    let per = 32 / bits(ty);
    let (ra, rb, rc) = (na / per, nb / per, if sum == "f16" { 2 } else { 4 });
    let words = ra + rb + rc;
    let loads: String = (0..words)
        .map(|i| {
            let name = if i < ra {
                format!("a{i}")
            } else if i < ra + rb {
                format!("b{}", i - ra)
            } else {
                format!("c{}", i - ra - rb)
            };
            format!("ld.global.b32 {name}, [i+{}];\n", 4 * i)
        })
        .collect();
    let stores: String = (0..rc).map(|i| format!("st.global.b32 [o+{}], d{i};\n", 4 * i)).collect();
    let text = format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .b32 t, a<8>, b<8>, c<8>, d<8>; .reg .b64 i, o;\n\
         mov.u32 t, %tid.x; ld.param.b64 i, [in]; ld.param.b64 o, [out];\n\
         mad.wide.u32 i, t, {}, i; mad.wide.u32 o, t, {}, o;\n{loads}\
         mma.sync.aligned.m16n8k{k}.row.col.{sum}.{ty}.{ty}.{sum} {{{}}}, {{{}}}, {{{}}}, {{{}}};\n{stores}ret;\n}}\n",
        4 * words,
        4 * rc,
        registers("d", rc),
        registers("a", ra),
        registers("b", rb),
        registers("c", rc)
    );
    let mut device = Device::new(&text, 0);
    let (i, o) = (device.buffer(&input), device.buffer(&vec![0u32; 32 * rc]));
    device.launch("k", [1; 3], [32, 1, 1], &[Arg::U64(o), Arg::U64(i)]).unwrap_or_else(|fault| panic!("{fault}"));
    let right = |row: usize, column: usize| {
        small(row, column, 3) + (0..k).map(|l| small(row, l, 1) * small(l, column, 2)).sum::<i32>()
    };
    let right: Vec<u32> = lanes
        .iter()
        .flat_map(|&(g, t)| pack(sum, &(0..4).map(|i| right(g + i / 2 * 8, t * 2 + i % 2)).collect::<Vec<_>>()))
        .collect();
    assert_eq!(device.read::<u32>(o, 32 * rc), right, "k = {k}, {ty} into {sum}");
}

#[test]
fn mma_multiplies_matrices_of_every_type() {
    for (k, ty, sum) in [
        (16, "f16", "f32"),
        (16, "bf16", "f32"),
        (16, "f16", "f16"),
        (8, "f16", "f32"),
        (8, "bf16", "f32"),
        (8, "tf32", "f32"),
        (4, "tf32", "f32"),
        (32, "s8", "s32"),
        (16, "s8", "s32"),
        (32, "e4m3", "f32"),
    ] {
        check_mma(k, ty, sum);
    }
}

/// A kernel of one warp with shared memory of 1024 bytes, whose word `i` is `i`, and `%rd1` as result.
fn warp(body: &str) -> Vec<u32> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .shared .align 128 .b8 cells[1024]; .reg .b32 t, s, x, r<8>; .reg .pred p; .reg .b64 o, q;\n\
         mov.u32 t, %tid.x; mov.b32 s, cells; ld.param.b64 o, [out]; mov.b32 x, t;\n\
         L: mad.lo.s32 r0, x, 4, s; st.shared.b32 [r0], x; add.s32 x, x, 32; setp.lt.u32 p, x, 256; @p bra L;\n\
         bar.warp.sync -1; mad.lo.s32 r0, t, 16, s; mad.wide.u32 q, t, 16, o;\n{body}\n\
         st.global.v4.b32 [q], {{r1, r2, r3, r4}}; ret;\n}}\n"
    );
    let mut device = Device::new(&text, 1);
    let out = device.buffer(&[0u32; 128]);
    device.launch("k", [1; 3], [32, 1, 1], &[Arg::U64(out)]).unwrap_or_else(|fault| panic!("{fault}"));
    device.read(out, 128)
}

/// Element of the four 8 × 8 matrices of 16 bits, in memory that counts words.
fn half(matrix: usize, row: usize, column: usize) -> u32 {
    let at = matrix * 64 + row * 8 + column;
    if at & 1 == 0 { (at / 2) as u32 } else { 0 }
}

#[test]
fn ldmatrix_deals_out_rows_and_columns() {
    let rows = warp("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2, r3, r4}, [r0];");
    let columns = warp("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r1, r2, r3, r4}, [r0];");
    for lane in 0..32 {
        for matrix in 0..4 {
            let (a, b) = (lane / 4, 2 * (lane % 4));
            let right = half(matrix, a, b) | half(matrix, a, b + 1) << 16;
            assert_eq!(rows[lane * 4 + matrix], right, "lane {lane}");
            let right = half(matrix, b, a) | half(matrix, b + 1, a) << 16;
            assert_eq!(columns[lane * 4 + matrix], right, "lane {lane}, transposed");
        }
    }
}

#[test]
fn stmatrix_is_the_inverse() {
    for kind in ["", ".trans"] {
        let out = warp(&format!(
            "ldmatrix.sync.aligned.m8n8.x4{kind}.shared.b16 {{r1, r2, r3, r4}}, [r0]; add.s32 r0, r0, 512;\n\
             stmatrix.sync.aligned.m8n8.x4{kind}.shared.b16 [r0], {{r1, r2, r3, r4}}; bar.warp.sync -1;\n\
             mad.lo.s32 r0, t, 16, s; ld.shared.v4.b32 {{r1, r2, r3, r4}}, [r0+512];"
        ));
        assert_eq!(out, (0..128).collect::<Vec<u32>>());
    }
}

/// How a matrix lies in shared memory: bytes of its rows before they are swizzled (0: in blocks of 8 × 16 bytes).
#[derive(Clone, Copy, Debug)]
struct Layout {
    span: usize,
    /// M or N adjacent.
    transposed: bool,
}

/// An image of shared memory with the matrix, and its descriptor without the address: `rows` × `k` elements.
fn image(ty: &str, layout: Layout, rows: usize, k: usize, value: impl Fn(usize, usize) -> i32) -> (Vec<u8>, u64) {
    let bytes = bits(ty) / 8;
    let mut out = vec![0u8; rows * k * bytes];
    let span = layout.span;
    let swizzle = match span {
        128 => 1u64,
        64 => 2,
        32 => 3,
        _ => 0,
    };
    // The chunk of a row goes to the chunk that is exclusive-ored with the number of its 128 bytes.
    let swizzled = |row: usize, chunk: usize| chunk ^ (((row * span / 128) % 8) & (span / 16 - 1));
    let (mut leading, mut stride) = (0, 0);
    for r in 0..rows {
        for c in 0..k {
            let at = match (span, layout.transposed) {
                (0, false) => {
                    // Blocks along k first.
                    (leading, stride) = (128, 128 * (k * bytes / 16));
                    r / 8 * stride + c * bytes / 16 * leading + r % 8 * 16 + c * bytes % 16
                }
                (0, true) => {
                    (stride, leading) = (128, 128 * (rows * bytes / 16));
                    r * bytes / 16 * stride + c / 8 * leading + c % 8 * 16 + r * bytes % 16
                }
                (_, false) => {
                    // Panels of `span` bytes of k would follow each other: here k is one of them.
                    assert!(k * bytes <= span);
                    stride = 8 * span;
                    r * span + swizzled(r, c * bytes / 16) * 16 + c * bytes % 16
                }
                (_, true) => {
                    let per = span / bytes;
                    (stride, leading) = (8 * span, k * span);
                    r / per * leading + c * span + swizzled(c, r % per * bytes / 16) * 16 + r * bytes % 16
                }
            };
            if out.len() < at + bytes {
                out.resize(at + bytes, 0);
            }
            out[at..at + bytes].copy_from_slice(&encode(ty, value(r, c)).to_le_bytes()[..bytes]);
        }
    }
    out.resize(out.len().next_multiple_of(1024), 0);
    (out, swizzle << 62 | (stride as u64 / 16) << 32 | (leading as u64 / 16) << 16)
}

/// Options of a product of a warpgroup.
struct Wgmma {
    ty: &'static str,
    sum: &'static str,
    k: usize,
    n: usize,
    a: Layout,
    b: Layout,
    from_registers: bool,
    negate: bool,
}

fn run_wgmma(test: &Wgmma, proxy_fence: &str, seed: u64) -> Result<Vec<u32>, tilewright_ptx_sim::Fault> {
    let Wgmma { ty, sum, k, n, a, b, from_registers, negate } = *test;
    let (image_a, descriptor_a) = image(ty, a, 64, k, |row, l| small(row, l, 1));
    let (image_b, descriptor_b) = image(ty, b, n, k, |column, l| small(l, column, 2));
    let place_of_b = image_a.len();
    let shared = [image_a, image_b].concat();
    // A as registers: the layout of `mma`, 16 rows a warp.
    let fragments: Vec<u32> = (0..128)
        .flat_map(|thread| {
            let (w, g, t) = (thread / 32, thread % 32 / 4, thread % 4);
            let elements: Vec<i32> = (0..128 / bits(ty))
                .map(|i| place_a(ty, k, i, g, t))
                .map(|(row, l)| small(16 * w + row, l, 1))
                .collect();
            pack(ty, &elements)
        })
        .collect();
    let sums = n / 2;
    let d: Vec<String> = (0..sums).map(|i| format!("d{i}")).collect();
    let clear: String = d.iter().map(|d| format!("mov.b32 {d}, 0;\n")).collect();
    let stores: String = d.iter().enumerate().map(|(i, d)| format!("st.global.b32 [o+{}], {d};\n", 4 * i)).collect();
    let first = if from_registers { "{a0, a1, a2, a3}" } else { "da" };
    let scales = match ty {
        "s8" => String::new(),
        "f16" | "bf16" => {
            let transposed = |layout: Layout| u32::from(layout.transposed);
            let ta = if from_registers { String::new() } else { format!(", {}", transposed(a)) };
            format!(", {}, 1{ta}, {}", if negate { -1 } else { 1 }, transposed(b))
        }
        _ => format!(", {}, 1", if negate { -1 } else { 1 }),
    };
    let text = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 cells[];\n\
         .visible .entry k(.param .u64 out, .param .u64 in, .param .u64 regs)\n{{\n\
         .reg .pred p; .reg .b32 t, x, s, v, a<4>, d<128>; .reg .b64 i, o, q, r, da, db;\n\
         mov.u32 t, %tid.x; ld.param.b64 i, [in]; ld.param.b64 o, [out]; ld.param.b64 r, [regs]; mov.b32 x, t;\n\
         mov.b32 s, cells;\n\
         L: mad.wide.u32 q, x, 4, i; ld.global.b32 v, [q]; mad.lo.s32 a0, x, 4, s; st.shared.b32 [a0], v;\n\
         add.s32 x, x, 128; setp.lt.u32 p, x, {words}; @p bra L;\n\
         {proxy_fence} bar.sync 0;\n\
         mad.wide.u32 r, t, 16, r; ld.global.v4.b32 {{a0, a1, a2, a3}}, [r];\n{clear}\
         shr.u32 v, s, 4; cvt.u64.u32 q, v; or.b64 da, q, {descriptor_a};\n\
         add.s32 v, s, {place_of_b}; shr.u32 v, v, 4; cvt.u64.u32 q, v; or.b64 db, q, {descriptor_b};\n\
         wgmma.fence.sync.aligned; setp.eq.u32 p, 0, 0;\n\
         wgmma.mma_async.sync.aligned.m64n{n}k{k}.{sum}.{ty}.{ty} {{{regs}}}, {first}, db, p{scales};\n\
         wgmma.mma_async.sync.aligned.m64n{n}k{k}.{sum}.{ty}.{ty} {{{regs}}}, {first}, db, p{scales};\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
         mad.wide.u32 o, t, {row}, o;\n{stores}ret;\n}}\n",
        words = shared.len() / 4,
        regs = d.join(", "),
        row = 4 * sums,
    );
    let mut device = Device::with(&text, Options { seed, ..Options::default() });
    let (i, r) = (device.buffer(&shared), device.buffer(&fragments));
    let o = device.buffer(&vec![0u32; 128 * sums]);
    let args = [Arg::U64(o), Arg::U64(i), Arg::U64(r)];
    device.launch_shared("k", [1; 3], [128, 1, 1], shared.len() as u32, &args)?;
    Ok(device.read(o, 128 * sums))
}

fn check_wgmma(test: &Wgmma) {
    let Wgmma { ty, sum, k, n, a, b, from_registers, negate } = *test;
    let found = run_wgmma(test, "fence.proxy.async;", 5).unwrap_or_else(|fault| panic!("{ty} {a:?} {b:?}: {fault}"));
    for (at, found) in found.iter().enumerate() {
        let (thread, q) = (at / (n / 2), at % (n / 2));
        let (w, g, t) = (thread / 32, thread % 32 / 4, thread % 4);
        let (row, column) = (16 * w + g + q % 4 / 2 * 8, q / 4 * 8 + 2 * t + q % 2);
        let product: i32 = (0..k).map(|l| small(row, l, 1) * small(l, column, 2)).sum();
        let right = encode(sum, if negate { -2 * product } else { 2 * product });
        let name = format!("{ty} k {k} n {n} {a:?} {b:?} registers {from_registers}");
        assert_eq!(*found & 0x7fff_ffff, right & 0x7fff_ffff, "{name}: ({row}, {column})");
        assert!(*found == right || right & 0x7fff_ffff == 0, "{name}: sign of ({row}, {column})");
    }
}

const fn layout(span: usize, transposed: bool) -> Layout {
    Layout { span, transposed }
}

#[test]
fn wgmma_multiplies_matrices_of_every_layout() {
    let spans = [0, 32, 64, 128];
    for (span_a, span_b) in spans.into_iter().zip([128, 64, 32, 0]) {
        for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
            let ty = if ta == tb { "bf16" } else { "f16" };
            let (a, b) = (layout(span_a, ta), layout(span_b, tb));
            check_wgmma(&Wgmma { ty, sum: "f32", k: 16, n: 64, a, b, from_registers: false, negate: ta && tb });
        }
        for (ty, sum, k) in [("s8", "s32", 32), ("tf32", "f32", 8), ("e4m3", "f32", 32)] {
            let (a, b) = (layout(span_a, false), layout(span_b, false));
            check_wgmma(&Wgmma { ty, sum, k, n: 24, a, b, from_registers: false, negate: false });
        }
    }
    for (ty, sum, k) in [("bf16", "f32", 16), ("s8", "s32", 32), ("tf32", "f32", 8)] {
        let (a, b) = (layout(128, false), layout(128, false));
        check_wgmma(&Wgmma { ty, sum, k, n: 32, a, b, from_registers: true, negate: false });
    }
}

#[test]
fn wgmma_reads_no_stores_without_a_proxy_fence() {
    let (a, b) = (layout(128, false), layout(128, false));
    let test = Wgmma { ty: "bf16", sum: "f32", k: 16, n: 8, a, b, from_registers: false, negate: false };
    for seed in SEEDS {
        let fault = run_wgmma(&test, "", seed).expect_err("no fence");
        assert_eq!(fault.kind, FaultKind::MissingProxyFence, "{fault}");
    }
}
