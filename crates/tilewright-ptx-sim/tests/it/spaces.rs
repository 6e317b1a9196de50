//! Addresses of every space, and accesses of every width.

use crate::harness::{Arg, Device, SEEDS};

/// Runs a kernel whose result is 64 words at `o`; `t` is the thread.
fn run(body: &str, threads: u32, seed: u64) -> Vec<u32> {
    let text = format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.global .align 16 .b32 table[8] = {{10, 11, 12, 13, 14, 15, 16, 17}};\n\
         .visible .entry k(.param .u64 out, .param .align 16 .b8 words[32])\n{{\n\
         .shared .align 16 .b8 cells[256]; .local .align 16 .b8 own[64];\n\
         .reg .pred p, q, r; .reg .b16 h<4>; .reg .b32 t, v<12>; .reg .b64 o, a, b, c; .reg .b128 w, x;\n\
         mov.u32 t, %tid.x; ld.param.b64 o, [out]; mad.wide.u32 o, t, 4, o;\n{body}\nret;\n}}\n"
    );
    let mut device = Device::new(&text, seed);
    let out = device.buffer(&[0u32; 64]);
    let words = (100..108u32).flat_map(u32::to_le_bytes).collect();
    let args = [Arg::U64(out), Arg::Bytes(words)];
    device.launch("k", [1; 3], [threads, 1, 1], &args).unwrap_or_else(|fault| panic!("{body}: {fault}"));
    device.read(out, 64)
}

#[test]
fn generic_addresses_reach_every_space() {
    let shared = "mov.b64 a, cells; cvta.shared.u64 b, a; mad.wide.u32 b, t, 4, b; st.b32 [b], t;\n\
        cvta.to.shared.u64 c, b; ld.shared.b32 v1, [c]; st.global.b32 [o], v1;";
    assert_eq!(run(shared, 32, 0)[..32], (0..32).collect::<Vec<u32>>());
    let local =
        "mov.b64 a, own; cvta.local.u64 b, a; st.b32 [b+4], t; ld.local.b32 v1, [own+4]; st.global.b32 [o], v1;";
    assert_eq!(run(local, 32, 0)[..32], (0..32).collect::<Vec<u32>>());
    let param = "mov.b64 a, words; cvta.param.u64 b, a; and.b32 v1, t, 7; mad.wide.u32 b, v1, 4, b; ld.b32 v2, [b];\n\
        ld.param.b32 v3, [words+4]; add.s32 v2, v2, v3; st.global.b32 [o], v2;";
    assert_eq!(run(param, 8, 0)[..8], (201..209).collect::<Vec<u32>>());
    let global = "mov.b64 a, table; cvta.global.u64 b, a; ld.v4.b32 {v1, v2, v3, v4}, [b+16]; st.global.b32 [o], v4;";
    assert_eq!(run(global, 1, 0)[0], 17);
    let which = "mov.b64 a, cells; cvta.shared.u64 b, a; isspacep.shared p, b; isspacep.global q, b; isspacep.global r, o;\n\
        selp.b32 v1, 1, 0, p; selp.b32 v2, 2, 0, q; selp.b32 v3, 4, 0, r; or.b32 v1, v1, v2; or.b32 v1, v1, v3;\n\
        st.global.b32 [o], v1;";
    assert_eq!(run(which, 1, 0)[0], 5);
}

#[test]
fn accesses_have_every_width() {
    let narrow = "mov.b64 a, cells; st.shared.b8 [cells], 0xf0; st.shared.b8 [cells+1], 0x7f; ld.shared.s8 v1, [cells];\n\
        ld.shared.u8 v2, [cells]; ld.shared.s16 v3, [cells]; ld.shared.b16 h1, [cells]; cvt.u32.u16 v4, h1;\n\
        st.global.v4.b32 [o], {v1, v2, v3, v4};";
    assert_eq!(run(narrow, 1, 0)[..4], [(-16i32) as u32, 0xf0, 0x7ff0, 0x7ff0]);
    let wide = "ld.global.v2.b64 {a, b}, [table]; st.shared.v2.b64 [cells], {b, a}; ld.shared.b128 w, [cells];\n\
        mov.b128 x, w; mov.b128 {a, b}, x; mov.b128 w, {b, a}; st.global.b128 [o], w;";
    assert_eq!(run(wide, 1, 0)[..4], [10, 11, 12, 13]);
}

#[test]
fn atomic_operations_lose_nothing() {
    let add = "mov.b64 a, cells; setp.eq.u32 p, t, 0; @p st.shared.v2.b32 [cells], {0, 0}; bar.sync 0;\n\
        atom.shared.add.u32 v1, [cells], 1; red.shared.max.u32 [cells+4], v1; bar.sync 0;\n\
        ld.shared.v2.b32 {v2, v3}, [cells]; add.s32 v2, v2, v3; st.global.b32 [o], v2;";
    // Each of 64 threads adds one, and the largest old value is 63.
    for seed in SEEDS {
        assert_eq!(run(add, 64, seed), [127; 64]);
    }
    // A compare-and-swap loop multiplies by two, six times.
    let cas = "setp.eq.u32 p, t, 0; @p st.shared.b32 [cells], 1; bar.sync 0; ld.volatile.shared.b32 v1, [cells];\n\
        L: shl.b32 v2, v1, 1; atom.shared.cas.b32 v3, [cells], v1, v2; setp.ne.u32 p, v3, v1; mov.b32 v1, v3; @p bra L;\n\
        bar.sync 0; ld.shared.b32 v4, [cells]; st.global.b32 [o], v4;";
    for seed in SEEDS {
        assert_eq!(run(cas, 6, seed)[..6], [64; 6]);
    }
    let halves = "setp.eq.u32 p, t, 0; @p st.shared.b32 [cells], 0; bar.sync 0; mov.b32 v1, 0x40003c00;\n\
        red.shared.add.noftz.f16x2 [cells], v1; bar.sync 0; ld.shared.b32 v2, [cells]; st.global.b32 [o], v2;";
    assert_eq!(run(halves, 8, 1)[..8], [0x4c00_4800; 8]);
}

#[test]
fn warps_vote_and_match() {
    let votes = "setp.lt.u32 p, t, 5; vote.sync.ballot.b32 v1, p, -1; vote.sync.any.pred q, p, -1; selp.b32 v2, 100, 0, q;\n\
        vote.sync.all.pred q, p, -1; selp.b32 v3, 1000, 0, q; add.s32 v1, v1, v2; add.s32 v1, v1, v3;\n\
        st.global.b32 [o], v1;";
    assert_eq!(run(votes, 32, 0)[..32], [131; 32]);
    let sums = "redux.sync.add.u32 v1, t, -1; and.b32 v2, t, 1; match.any.sync.b32 v3, v2, -1; popc.b32 v3, v3;\n\
        mad.lo.s32 v1, v3, 1000, v1; elect.sync v4|p, -1; @p add.s32 v1, v1, 100000; st.global.b32 [o], v1;";
    let out = run(sums, 32, 0);
    assert_eq!(out[..32].iter().filter(|word| **word == 116_496).count(), 1);
    assert_eq!(out[..32].iter().filter(|word| **word == 16_496).count(), 31);
    // Half of the warp on its own.
    let half = "setp.lt.u32 p, t, 16; @p redux.sync.max.u32 v1, t, 0xffff; @!p redux.sync.max.u32 v1, t, 0xffff0000;\n\
        st.global.b32 [o], v1;";
    assert_eq!(run(half, 32, 0)[..32], [[15; 16], [31; 16]].concat());
    // Lanes of both halves at once, each with the members of its own.
    let both = "and.b32 v1, t, 16; shl.b32 v2, 0xffff, v1; redux.sync.max.u32 v3, t, v2; shfl.sync.idx.b32 v4, t, 3, 0x101f, v2;\n\
        mad.lo.s32 v3, v4, 100, v3; st.global.b32 [o], v3;";
    assert_eq!(run(both, 32, 0)[..32], [[315; 16], [1931; 16]].concat());
}
