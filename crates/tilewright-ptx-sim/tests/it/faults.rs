//! Planted faults: each is found for every seed, with its place.

use tilewright_ptx_sim::{Fault, FaultKind, Module, Options};

use crate::harness::{Arg, Device, SEEDS};

/// A kernel `k` with one parameter, the address `%rd1`, and the thread in `%r1`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .shared .align 16 .b8 cells[512];\n\
         ld.param.b64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.b32 %r3, cells;\n{body}\nret;\n}}\n"
    )
}

fn run(body: &str, blocks: u32, threads: u32, seed: u64) -> Result<(), Fault> {
    let options = Options { seed, instruction_limit: 100_000, ..Options::default() };
    let mut device = Device::with(&kernel(body), options);
    let memory = device.buffer(&[0u32; 64]);
    device.launch("k", [blocks, 1, 1], [threads, 1, 1], &[Arg::U64(memory)]).map(|_| ())
}

/// The fault of every seed.
fn faults(body: &str, blocks: u32, threads: u32, kind: FaultKind) -> Fault {
    let faults: Vec<Fault> =
        SEEDS.map(|seed| run(body, blocks, threads, seed).expect_err("a fault was planted")).collect();
    for fault in &faults {
        assert_eq!(fault.kind, kind, "{fault}");
    }
    faults[0].clone()
}

/// The line of the kernel's body.
const BODY: u32 = 8;

/// Threads write their cell and read that of the next one.
fn neighbours(between: &str) -> String {
    format!(
        "shl.b32 %r4, %r1, 2; add.s32 %r5, %r3, %r4; st.shared.b32 [%r5], %r1;\n{between}\n\
         xor.b32 %r6, %r4, 4; add.s32 %r6, %r6, %r3; ld.shared.b32 %r7, [%r6];"
    )
}

#[test]
fn a_missing_barrier_is_a_race() {
    let fault = faults(&neighbours(""), 1, 64, FaultKind::Race);
    let place = fault.place.expect("a place");
    assert_eq!((place.kernel.as_str(), place.line), ("k", BODY + 2));
    for seed in SEEDS {
        run(&neighbours("bar.sync 0;"), 1, 64, seed).expect("a barrier");
        run(&neighbours("bar.warp.sync -1;"), 1, 32, seed).expect("a barrier of the warp");
    }
    faults(
        &neighbours("bar.warp.sync -1;").replace("xor.b32 %r6, %r4, 4", "xor.b32 %r6, %r4, 128"),
        1,
        64,
        FaultKind::Race,
    );
}

#[test]
fn blocks_that_write_the_same_bytes_race() {
    let fault = faults("st.global.b32 [%rd1+8], %r2;", 3, 1, FaultKind::Race);
    assert!(fault.message.contains("block number"), "{fault}");
    for seed in SEEDS {
        run("atom.global.add.u32 %r4, [%rd1+8], %r2;", 3, 32, seed).expect("atomic");
    }
}

#[test]
fn a_flag_orders_blocks_only_with_fences() {
    let hand_over = |first: &str, second: &str| {
        format!(
            "setp.ne.u32 %p1, %r2, 0; @%p1 bra WAIT;\n\
             st.global.b32 [%rd1], 42; {first} atom.global.exch.b32 %r4, [%rd1+4], 1; bra.uni END;\n\
             WAIT: ld.volatile.global.b32 %r5, [%rd1+4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT;\n\
             {second} ld.global.b32 %r6, [%rd1]; END:"
        )
    };
    let fence = "fence.acq_rel.gpu;";
    for seed in SEEDS {
        run(&hand_over(fence, fence), 2, 1, seed).expect("fences on both sides");
    }
    faults(&hand_over("", fence), 2, 1, FaultKind::Race);
    faults(&hand_over(fence, ""), 2, 1, FaultKind::Race);
}

#[test]
fn a_barrier_that_some_threads_miss_is_found() {
    faults("setp.lt.u32 %p1, %r1, 16; @%p1 bar.sync 0;", 1, 32, FaultKind::Divergence);
    // Whole warps miss it: the others wait for ever at a barrier for all.
    faults("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1; @!%p1 bar.sync 2;", 1, 64, FaultKind::Divergence);
    faults("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;", 1, 64, FaultKind::Divergence);
    for seed in SEEDS {
        run("setp.lt.u32 %p1, %r1, 5; @%p1 ret; bar.sync 0;", 1, 64, seed).expect("threads that ended do not count");
        let early = "setp.lt.u32 %p1, %r1, 5; @%p1 bra A; bar.sync 0; bra.uni B; A: ret; B: mov.b32 %r4, 0;";
        run(early, 1, 64, seed).expect("threads that end on the other way do not count");
    }
}

#[test]
fn accesses_outside_memory_name_thread_and_address() {
    let fault = faults(
        "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\nst.global.b32 [%rd3+128], %r1;",
        1,
        64,
        FaultKind::OutOfBounds,
    );
    let place = fault.place.clone().expect("a place");
    assert_eq!((place.line, place.block), (BODY + 1, [0; 3]));
    assert!(place.thread[0] >= 32 && fault.address.is_some(), "{fault}");
    assert!(fault.to_string().contains("kernel k, PTX line 9, block (0, 0, 0), thread (32, 0, 0)"), "{fault}");
    faults("add.s32 %r4, %r3, 512; ld.shared.b32 %r5, [%r4];", 1, 1, FaultKind::OutOfBounds);
    faults("mov.b32 %r4, 0; ld.shared.b32 %r5, [%r4];", 1, 1, FaultKind::OutOfBounds);
    faults("mov.b64 %rd2, 0; ld.b32 %r5, [%rd2];", 1, 1, FaultKind::OutOfBounds);
    faults("mov.b64 %rd2, p; ld.param.b32 %r5, [%rd2+6];", 1, 1, FaultKind::OutOfBounds);
}

#[test]
fn misaligned_accesses_are_found() {
    faults("ld.global.b32 %r4, [%rd1+2];", 1, 1, FaultKind::Misaligned);
    faults("ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1+8];", 1, 1, FaultKind::Misaligned);
    faults("st.shared.b64 [%r3+4], %rd1;", 1, 1, FaultKind::Misaligned);
}

#[test]
fn endless_loops_end() {
    let fault = faults("L: add.s32 %r4, %r4, 1; bra.uni L;", 1, 32, FaultKind::InstructionLimit);
    assert_eq!(fault.place.expect("a place").line, BODY);
}

#[test]
fn lanes_of_a_warp_may_wait_for_each_other() {
    // Each lane takes a lock, counts and gives the lock back: the lanes that spin must let the holder go on.
    let body = "L: atom.acquire.gpu.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\n\
        ld.global.b32 %r5, [%rd1+4]; add.s32 %r5, %r5, 1; st.global.b32 [%rd1+4], %r5;\n\
        atom.release.gpu.global.exch.b32 %r6, [%rd1], 0;";
    for seed in SEEDS {
        run(body, 2, 32, seed).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn traps_and_constants() {
    faults("setp.eq.u32 %p1, %r1, 3; @%p1 trap;", 1, 32, FaultKind::Trap);
    let constant = "64\n.const .align 4 .b32 c[1] = {5};";
    let text = kernel("mov.b64 %rd2, c; st.global.b32 [%rd2], %r1;").replacen("64", constant, 1);
    let mut device = Device::new(&text, 1);
    let fault = device.launch("k", [1; 3], [1; 3], &[Arg::U64(0)]).expect_err("constant");
    assert_eq!(fault.kind, FaultKind::ReadOnly);
}

#[test]
fn unknown_instructions_refuse_a_launch_and_not_the_text() {
    let text = kernel("\nfrobnicate.b32 %r4, %r5;");
    let module = Module::parse(&text).expect("text");
    let (line, message) = module.kernel("k").expect("kernel").unsupported.clone().expect("unknown");
    assert_eq!((line, message.as_str()), (BODY + 1, "`frobnicate.b32`"));
    let fault = run("\nfrobnicate.b32 %r4, %r5;", 1, 1, 0).expect_err("refused");
    assert_eq!(fault.kind, FaultKind::Unsupported);
    assert!(fault.message.contains("PTX line 9"), "{fault}");
}

#[test]
fn wrong_text_is_an_error_with_its_line() {
    let cases = [
        ("add.s32 %r4, %r5, %nothing;", "`%nothing` is not declared"),
        ("bra NOWHERE;", "label `NOWHERE` is not defined"),
        ("L: L: ret;", "label `L` is defined twice"),
        ("add.s32 %r4, %r5;", "expected 3 operands, found 2"),
        ("@%r1 ret;", "`%r1` is no predicate"),
        ("ld.global.v2.b32 %r4, [%rd1];", "1 registers for 2 elements"),
        ("add.s32 %r99, %r5, 1;", "`%r99` is no register that can hold the result"),
        (".local .b8 big[99999999];", "`big` needs 99999999 bytes of a thread"),
    ];
    for (body, message) in cases {
        let error = Module::parse(&kernel(body)).expect_err(body);
        assert_eq!((error.line, error.message.as_str()), (BODY, message), "{body}");
    }
}

#[test]
fn wrong_launches_are_refused() {
    let mut device = Device::new(&kernel(""), 0);
    for (grid, block) in [([0, 1, 1], [1; 3]), ([1; 3], [1025, 1, 1]), ([1; 3], [0, 1, 1]), ([u32::MAX; 3], [1; 3])] {
        let fault = device.launch("k", grid, block, &[Arg::U64(0)]).expect_err("extents");
        assert_eq!(fault.kind, FaultKind::Launch);
    }
    let fault = device.launch_shared("k", [1; 3], [1; 3], u32::MAX, &[Arg::U64(0)]).expect_err("shared");
    assert_eq!(fault.kind, FaultKind::Launch);
}

#[test]
fn memory_that_nobody_wrote_is_not_zero() {
    let mut device = Device::new(&kernel("ld.shared.b32 %r4, [%r3]; st.global.b32 [%rd1], %r4;"), 0);
    let memory = device.buffer(&[0u32]);
    device.launch("k", [1; 3], [1; 3], &[Arg::U64(memory)]).expect("run");
    assert!(f32::from_bits(device.read::<u32>(memory, 1)[0]).is_nan());
}

#[test]
fn lanes_that_went_on_alone_meet_again() {
    // Lanes leave the loop at different times, some of them ahead of others; the shuffle and the barrier wait for all.
    let body = "mul.lo.s32 %r4, %r1, 40; L: add.s32 %r4, %r4, -1; setp.gt.s32 %p1, %r4, 0; @%p1 bra L;\n\
        shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1; bar.sync 0;\n\
        xor.b32 %r6, %r1, 1; setp.ne.u32 %p2, %r5, %r6; @%p2 trap;";
    for seed in 0..20 {
        run(body, 1, 64, seed).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn groups_of_a_warp_that_name_their_own_lanes_shuffle_apart() {
    // Lanes get the number of the first lane of their half.
    let halves = "setp.lt.u32 %p1, %r1, 16; selp.b32 %r4, 0xffff, 0xffff0000, %p1; selp.b32 %r5, 0, 16, %p1;\n\
                  shfl.sync.idx.b32 %r6, %r1, %r5, 31, %r4;\n\
                  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.b32 [%rd2], %r6;";
    for seed in SEEDS {
        let mut device = Device::with(&kernel(halves), Options { seed, ..Options::default() });
        let memory = device.buffer(&[9u32; 32]);
        device.launch("k", [1; 3], [32, 1, 1], &[Arg::U64(memory)]).expect("two groups");
        let found: Vec<u32> = device.read(memory, 32);
        assert!((0..32).all(|lane| found[lane] == lane as u32 / 16 * 16), "{found:?}");
    }
    let crossed = halves.replace("0xffff0000, %p1", "0xffffffff, %p1");
    faults(&crossed, 1, 32, FaultKind::Undefined);
}

#[test]
fn threads_that_write_the_same_value_do_not_race() {
    for seed in SEEDS {
        run("mov.b32 %r4, 5; st.global.b32 [%rd1], %r4; st.shared.b32 [%r3], %r4;", 2, 64, seed).expect("the same");
    }
    faults("st.global.b32 [%rd1], %r1;", 1, 64, FaultKind::Race);
    faults("st.shared.b32 [%r3], %r1;", 1, 64, FaultKind::Race);
}
