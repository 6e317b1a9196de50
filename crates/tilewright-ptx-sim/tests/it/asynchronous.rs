//! Copies that end late, mbarriers, bulk copies and tensor maps.

use tilewright_ptx_sim::{Fault, FaultKind, Fill, Options, Swizzle, TensorMap};

use crate::harness::{Arg, Device, SEEDS};

/// A kernel of one block with 4 KiB of shared memory at `s`, an mbarrier at `m`, and the addresses `i` and `o`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128])\n{{\n\
         .shared .align 1024 .b8 cells[4096]; .shared .align 8 .b8 bar[16];\n\
         .reg .pred p, first; .reg .b32 t, s, m, v<8>; .reg .b64 i, o, q, state, tm;\n\
         mov.u32 t, %tid.x; mov.b32 s, cells; mov.b32 m, bar; ld.param.b64 i, [in]; ld.param.b64 o, [out];\n\
         mov.b64 tm, map; cvta.param.u64 tm, tm; setp.eq.u32 first, t, 0;\n{body}\nret;\n}}\n"
    )
}

/// Input words `0..1024`; the result has as many, of 7 each before.
fn run_with(body: &str, threads: u32, seed: u64, map: impl Fn(u64, u64) -> Vec<u8>) -> Result<Vec<u32>, Fault> {
    let options = Options { seed, instruction_limit: 2_000_000, ..Options::default() };
    let mut device = Device::with(&kernel(body), options);
    let input = device.buffer(&(0..1024).collect::<Vec<u32>>());
    let out = device.buffer(&[7u32; 1024]);
    let args = [Arg::U64(out), Arg::U64(input), Arg::Bytes(map(input, out))];
    device.launch("k", [1; 3], [threads, 1, 1], &args)?;
    Ok(device.read(out, 1024))
}

fn run(body: &str, threads: u32, seed: u64) -> Result<Vec<u32>, Fault> {
    run_with(body, threads, seed, |_, _| Vec::new())
}

fn right(body: &str, threads: u32) -> Vec<u32> {
    let results: Vec<Vec<u32>> =
        SEEDS.map(|seed| run(body, threads, seed).unwrap_or_else(|fault| panic!("{body}: {fault}"))).collect();
    assert!(results.iter().all(|result| *result == results[0]), "{body}: seeds differ");
    results[0].clone()
}

fn faults(body: &str, threads: u32, kinds: &[FaultKind]) {
    for seed in SEEDS {
        let fault = run(body, threads, seed).expect_err(body);
        assert!(kinds.contains(&fault.kind), "{body}: {fault}");
    }
}

/// Shared memory, from its beginning, goes to the result.
const DUMP: &str = "mov.b32 v0, t; mov.u32 v6, %ntid.x;\n\
    D: mad.lo.s32 v1, v0, 4, s; ld.shared.b32 v2, [v1]; mad.wide.u32 q, v0, 4, o; st.global.b32 [q], v2;\n\
    add.s32 v0, v0, v6; setp.lt.u32 p, v0, 1024; @p bra D;";

/// Shared memory is zero, and asynchronous units may know it.
const CLEAR: &str = "mov.b32 v0, t; mov.u32 v6, %ntid.x; mov.b32 v2, 0;\n\
    C: mad.lo.s32 v1, v0, 4, s; st.shared.b32 [v1], v2;\n\
    add.s32 v0, v0, v6; setp.lt.u32 p, v0, 1024; @p bra C; fence.proxy.async; bar.sync 0;";

#[test]
fn short_sources_are_filled_with_zeros() {
    let out = right(
        &format!(
            "{CLEAR} mad.lo.s32 v1, t, 16, s; mad.wide.u32 q, t, 16, i;\n\
             cp.async.cg.shared.global [v1], [q], 16, t; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; {DUMP}"
        ),
        32,
    );
    let source: Vec<u8> = (0..1024u32).flat_map(u32::to_le_bytes).collect();
    let found: Vec<u8> = out.iter().flat_map(|word| word.to_le_bytes()).collect();
    for thread in 0..32 {
        for byte in 0..16 {
            let at = thread * 16 + byte;
            assert_eq!(found[at], if byte < thread { source[at] } else { 0 }, "byte {byte} of thread {thread}");
        }
    }
}

#[test]
fn copies_are_not_there_before_their_wait() {
    let copy = "mad.lo.s32 v1, t, 4, s; mad.wide.u32 q, t, 4, i; cp.async.ca.shared.global [v1], [q], 4;\n\
        cp.async.commit_group;";
    let own = "ld.shared.b32 v2, [v1]; mad.wide.u32 q, t, 4, o; st.global.b32 [q], v2;";
    assert_eq!(right(&format!("{copy} cp.async.wait_all; {own}"), 32)[..32], (0..32).collect::<Vec<u32>>());
    faults(&format!("{copy} {own}"), 32, &[FaultKind::UnfinishedCopy]);
    faults(&format!("{copy} cp.async.wait_group 1; {own}"), 32, &[FaultKind::UnfinishedCopy]);
    // A wait is for the thread's own copies: another one needs a barrier, too.
    let other = own.replace("[v1]", "[v3]");
    let shift = "xor.b32 v3, v1, 64;";
    faults(&format!("{copy} cp.async.wait_all; {shift} {other}"), 32, &[FaultKind::Race]);
    right(&format!("{copy} cp.async.wait_all; bar.sync 0; {shift} {other}"), 32);
}

#[test]
fn without_checks_a_missing_wait_gives_another_result() {
    let body = "mad.lo.s32 v1, t, 4, s; mad.wide.u32 q, t, 4, i; cp.async.ca.shared.global [v1], [q], 4;\n\
        cp.async.commit_group; ld.shared.b32 v2, [v1]; mad.wide.u32 q, t, 4, o; st.global.b32 [q], v2;";
    for seed in SEEDS {
        let options = Options { seed, check_races: false, ..Options::default() };
        let mut device = Device::with(&kernel(body), options);
        let (input, out) = (device.buffer(&[5u32; 64]), device.buffer(&[7u32; 64]));
        let args = [Arg::U64(out), Arg::U64(input), Arg::Bytes(Vec::new())];
        device.launch("k", [1; 3], [64, 1, 1], &args).expect("nothing is checked");
        assert_ne!(device.read::<u32>(out, 64), [5; 64], "seed {seed}");
    }
}

/// `bar` is for `count` arrivals, and known to all threads.
fn init(count: u32) -> String {
    format!("@first mbarrier.init.shared.b64 [m], {count}; @first fence.mbarrier_init.release.cluster; bar.sync 0;")
}

const WAIT: &str = "W: mbarrier.try_wait.parity.shared.b64 p, [m], 0; @!p bra W;";

#[test]
fn mbarriers_hand_data_over() {
    // Warp 0 writes, warp 1 waits and reads.
    let body = |arrive: &str, wait: &str| {
        format!(
            "{} mad.lo.s32 v1, t, 4, s; setp.lt.u32 p, t, 32; @!p bra READ; st.shared.b32 [v1], t; {arrive} bra DONE;\n\
             READ: {wait} ld.shared.b32 v2, [v1+-128]; mad.wide.u32 q, t, 4, o; st.global.b32 [q], v2; DONE:",
            init(32)
        )
    };
    let arrive = "mbarrier.arrive.shared.b64 state, [m];";
    let out = right(&body(arrive, WAIT), 64);
    assert_eq!(out[32..64], (0..32).collect::<Vec<u32>>());
    faults(&body(arrive, ""), 64, &[FaultKind::Race]);
    // Arrivals that do not suffice: the others wait for ever.
    let fault = run(&body("@first mbarrier.arrive.shared.b64 state, [m];", WAIT), 64, 0).expect_err("deadlock");
    assert!(matches!(fault.kind, FaultKind::Deadlock | FaultKind::InstructionLimit), "{fault}");
    // One arrival for all.
    let all = "bar.warp.sync -1; mov.b32 v3, 32; @first mbarrier.arrive.shared.b64 state, [m], v3;";
    right(&body(all, WAIT), 64);
    faults(&body(&all.replace("32;", "33;"), WAIT), 64, &[FaultKind::Undefined]);
}

#[test]
fn states_name_a_phase() {
    let body = format!(
        "{} mbarrier.arrive.shared.b64 state, [m]; mbarrier.test_wait.shared.b64 p, [m], state; selp.b32 v1, 1, 0, p;\n\
         mad.wide.u32 q, t, 4, o; st.global.b32 [q], v1; bar.sync 0;\n\
         mbarrier.test_wait.shared.b64 p, [m], state; selp.b32 v1, 1, 0, p; st.global.b32 [q+256], v1;",
        init(64)
    );
    let mut early = 0;
    for seed in SEEDS {
        let out = run(&body, 64, seed).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(out[64..128], [1; 64]);
        early += out[..64].iter().filter(|done| **done == 0).count();
    }
    assert!(early > 0, "a thread asks before the last one has arrived");
}

#[test]
fn mbarriers_must_be_there() {
    faults("mbarrier.arrive.shared.b64 state, [m];", 1, &[FaultKind::Undefined]);
    faults("mbarrier.init.shared.b64 [m+4], 1;", 1, &[FaultKind::Misaligned]);
    faults(
        "@first mbarrier.init.shared.b64 [m], 64; mbarrier.arrive.shared.b64 state, [m];",
        64,
        &[FaultKind::Race, FaultKind::Undefined],
    );
}

#[test]
fn copies_of_threads_arrive_at_an_mbarrier() {
    let body = |wait: &str| {
        format!(
            "{} mad.lo.s32 v1, t, 16, s; mad.wide.u32 q, t, 16, i; cp.async.cg.shared.global [v1], [q], 16;\n\
             cp.async.mbarrier.arrive.noinc.shared.b64 [m]; {wait} {DUMP}",
            init(256)
        )
    };
    assert_eq!(right(&body(WAIT), 256), (0..1024).collect::<Vec<u32>>());
    faults(&body(""), 256, &[FaultKind::UnfinishedCopy, FaultKind::Race]);
}

#[test]
fn bulk_copies_move_bytes_both_ways() {
    let load = "@first mbarrier.arrive.expect_tx.shared.b64 state, [m], 4096;\n\
        @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [i], 4096, [m];";
    let store = "@first cp.async.bulk.global.shared::cta.bulk_group [o], [s], 4096;\n\
        @first cp.async.bulk.commit_group; @first cp.async.bulk.wait_group 0;";
    let all: Vec<u32> = (0..1024).collect();
    assert_eq!(right(&format!("{} {load} {WAIT} {DUMP}", init(1)), 64), all);
    assert_eq!(right(&format!("{} {load} {WAIT} {store}", init(1)), 64), all);
    faults(&format!("{} {load} {DUMP}", init(1)), 64, &[FaultKind::UnfinishedCopy, FaultKind::Race]);
    // Fewer bytes than were expected.
    let short = load.replace("[i], 4096", "[i], 2048");
    let fault = run(&format!("{} {short} {WAIT} {DUMP}", init(1)), 64, 0).expect_err("deadlock");
    assert!(matches!(fault.kind, FaultKind::Deadlock | FaultKind::InstructionLimit), "{fault}");
    faults(&format!("{} {}", init(1), load.replace("[i]", "[i+8]")), 64, &[FaultKind::Misaligned]);
    faults(&format!("{} {}", init(1), load.replace("[i]", "[i+16]")), 64, &[FaultKind::OutOfBounds]);
}

#[test]
fn bulk_copies_out_of_shared_memory_need_fences_and_waits() {
    let write = "mov.b32 v0, t; W1: mad.lo.s32 v1, v0, 4, s; mul.lo.s32 v2, v0, 3; st.shared.b32 [v1], v2;\n\
        add.s32 v0, v0, 64; setp.lt.u32 p, v0, 1024; @p bra W1;";
    let store = "@first cp.async.bulk.global.shared::cta.bulk_group [o], [s], 4096; @first cp.async.bulk.commit_group;";
    let wait = "@first cp.async.bulk.wait_group.read 0;";
    let again = "bar.sync 0; mad.lo.s32 v1, t, 4, s; st.shared.b32 [v1], t;";
    let fence = "fence.proxy.async.shared::cta; bar.sync 0;";
    let all: Vec<u32> = (0..1024).map(|i| 3 * i).collect();
    assert_eq!(right(&format!("{write} {fence} {store} {wait}"), 64), all);
    assert_eq!(right(&format!("{write} {fence} {store} {wait} {again}"), 64), all);
    faults(&format!("{write} bar.sync 0; {store} {wait}"), 64, &[FaultKind::MissingProxyFence]);
    faults(&format!("{write} fence.proxy.async; {store} {wait}"), 64, &[FaultKind::MissingProxyFence, FaultKind::Race]);
    // The block ends, or writes, while the copy may still read: found unless the copy happened to be early.
    for body in [format!("{write} {fence} {store}"), format!("{write} {fence} {store} {again} {wait}")] {
        let found = (0..20).filter(|seed| run(&body, 64, *seed).is_err()).count();
        assert!(found >= 10, "{found} of 20: {body}");
    }
}

/// 5 × 12 × 3 words of the input (rows of 16 words, planes of 256) in boxes of 4 × 8 × 2.
fn map(swizzle: Swizzle, fill: Fill) -> impl Fn(u64, u64) -> Vec<u8> {
    move |input, _| {
        let map = TensorMap {
            element_bytes: 4,
            address: input,
            extents: vec![5, 12, 3],
            strides: vec![64, 1024],
            box_extents: vec![8, 8, 2],
            swizzle,
            fill,
        };
        map.encode().expect("map").to_vec()
    }
}

#[test]
fn boxes_of_tensors_are_swizzled_and_filled_outside() {
    for (swizzle, fill) in [
        (Swizzle::None, Fill::Zero),
        (Swizzle::B32, Fill::Nan),
        (Swizzle::B64, Fill::Zero),
        (Swizzle::B128, Fill::Zero),
    ] {
        for (x, y, z) in [(0, 0, 0), (2, 7, 1), (-3, -2, 2), (9, 0, 0)] {
            let body = format!(
                "{CLEAR} {} mov.b32 v3, {x}; mov.b32 v4, {y}; mov.b32 v5, {z};\n\
                 @first mbarrier.arrive.expect_tx.shared.b64 state, [m], 512;\n\
                 @first cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], \
                 [tm, {{v3, v4, v5}}], [m]; {WAIT} {DUMP}",
                init(1)
            );
            for seed in 0..2 {
                let out = run_with(&body, 32, seed, map(swizzle, fill)).unwrap_or_else(|fault| panic!("{fault}"));
                for at in 0..128i32 {
                    let (bx, by, bz) = (at % 8, at / 8 % 8, at / 64);
                    let (ex, ey, ez) = (x + bx, y + by, z + bz);
                    let inside = (0..5).contains(&ex) && (0..12).contains(&ey) && (0..3).contains(&ez);
                    let empty = if fill == Fill::Nan { u32::MAX } else { 0 };
                    let right = if inside { (ez * 256 + ey * 16 + ex) as u32 } else { empty };
                    // 16 rows of 32 bytes: four in 128 bytes.
                    let bits = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128]
                        .iter()
                        .position(|other| *other == swizzle)
                        .map_or(0, |at| (1 << at) - 1);
                    let chunk = (at / 4) ^ ((at / 32) & bits);
                    let found = out[(chunk * 4 + at % 4) as usize];
                    assert_eq!(found, right, "{swizzle:?} corner ({x}, {y}, {z}): ({bx}, {by}, {bz})");
                }
            }
        }
    }
}

#[test]
fn boxes_are_stored_without_what_is_outside() {
    let to_result = |_: u64, out: u64| {
        let map = TensorMap {
            element_bytes: 4,
            address: out,
            extents: vec![6, 5],
            strides: vec![64],
            box_extents: vec![4, 4],
            swizzle: Swizzle::None,
            fill: Fill::Zero,
        };
        map.encode().expect("map").to_vec()
    };
    let body = "mad.lo.s32 v1, t, 4, s; st.shared.b32 [v1], t; fence.proxy.async; bar.sync 0; mov.b32 v3, 4;\n\
        mov.b32 v4, 2; @first cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {v3, v4}], [s];\n\
        @first cp.async.bulk.commit_group; @first cp.async.bulk.wait_group.read 0;";
    for seed in SEEDS {
        let out = run_with(body, 32, seed, to_result).unwrap_or_else(|fault| panic!("{fault}"));
        for (at, found) in out.iter().enumerate() {
            let (x, y) = (at % 16, at / 16);
            let inside = (4..6).contains(&x) && (2..5).contains(&y);
            assert_eq!(*found, if inside { ((y - 2) * 4 + x - 4) as u32 } else { 7 }, "({x}, {y})");
        }
    }
}

#[test]
fn a_parameter_that_is_no_tensor_map_is_a_fault() {
    let body = format!(
        "{} mov.b32 v3, 0; @first cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], \
         [tm, {{v3}}], [m];",
        init(1)
    );
    faults(&body, 32, &[FaultKind::Undefined]);
}

#[test]
fn named_barriers_let_warps_meet_in_pairs() {
    // Warp 0 hands over to warp 1 by barrier 1, and arrives without waiting.
    let body = |barrier: &str| {
        format!(
            "mad.lo.s32 v1, t, 4, s; setp.lt.u32 p, t, 32; @!p bra B; st.shared.b32 [v1], t; {barrier} bra C;\n\
             B: bar.sync 1, 64; ld.shared.b32 v2, [v1+-128]; mad.wide.u32 q, t, 4, o; st.global.b32 [q], v2; C:"
        )
    };
    assert_eq!(right(&body("bar.arrive 1, 64;"), 64)[32..64], (0..32).collect::<Vec<u32>>());
    faults(&body(""), 64, &[FaultKind::Divergence]);
    faults(&body("bar.arrive 1, 96;"), 64, &[FaultKind::Undefined]);
    faults("bar.sync 1, 48;", 64, &[FaultKind::Undefined]);
}

#[test]
fn barriers_count_votes() {
    let out = right(
        "setp.lt.u32 p, t, 10; bar.red.popc.u32 v1, 0, p; bar.red.or.pred p, 0, p; selp.b32 v2, 100, 0, p;\n\
         add.s32 v1, v1, v2; setp.ge.u32 p, t, 1; bar.red.and.pred p, 0, p; selp.b32 v2, 1000, 0, p;\n\
         add.s32 v1, v1, v2; mad.wide.u32 q, t, 4, o; st.global.b32 [q], v1;",
        70,
    );
    assert_eq!(out[..70], [110; 70]);
}
