//! GEMMs with asynchronous copies and tensor cores, and faults planted in them.

use std::sync::OnceLock;

use tilewright_ptx_sim::{Fault, FaultKind, Fill, Swizzle, TensorMap};

use crate::harness::{Arg, Device, SEEDS, kernel_text};

/// A float32 rounded to bfloat16, to the nearest with ties to even.
fn bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

fn widen(x: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(x) << 16))
}

/// Pseudorandom values between -1 and 1.
fn values(count: usize, salt: u32) -> Vec<u16> {
    let mut state = salt;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bf16((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
        })
        .collect()
}

/// C in float64.
fn product(a: &[u16], b: &[u16], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let wide = |matrix: &[u16]| matrix.iter().map(|x| widen(*x)).collect::<Vec<f64>>();
    let (a, b) = (wide(a), wide(b));
    let row = |i: usize| &a[i * k..][..k];
    let column = |j: usize| &b[j * k..][..k];
    (0..m * n).map(|at| row(at / n).iter().zip(column(at % n)).map(|(a, b)| a * b).sum()).collect()
}

/// The largest difference from C, over what rounding to bfloat16 explains.
fn error(c: &[u16], right: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for (c, right) in c.iter().zip(right) {
        let error = (widen(*c) - right).abs() / (right.abs() / 256.0 + 1e-4);
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
    }
    worst
}

const SM80: &str = kernel_text!("gemm_sm80");

fn sm80(text: &str, seed: u64) -> Result<f64, Fault> {
    let sizes @ [m, n, k] = [256, 128, 192];
    let (a, b) = (values(m * k, 1), values(n * k, 2));
    let mut device = Device::new(text, seed);
    let (da, db, dc) = (device.buffer(&a), device.buffer(&b), device.buffer(&vec![0u16; m * n]));
    let args = [Arg::U64(da), Arg::U64(db), Arg::U64(dc), Arg::U32(m as u32), Arg::U32(n as u32), Arg::U32(k as u32)];
    device.launch_shared("gemm80", [n as u32 / 128, m as u32 / 128, 1], [128, 1, 1], 65_536, &args)?;
    static RIGHT: OnceLock<Vec<f64>> = OnceLock::new();
    Ok(error(&device.read(dc, m * n), RIGHT.get_or_init(|| product(&a, &b, sizes))))
}

#[test]
fn sm80_is_right_for_every_seed() {
    for seed in SEEDS {
        let error = sm80(SM80, seed).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(error <= 1.0, "seed {seed}: {error}");
    }
}

#[test]
fn sm80_without_its_barrier_is_a_race() {
    let text = SM80.replace("bar.sync", "// bar.sync");
    for seed in SEEDS {
        let fault = sm80(&text, seed).expect_err("planted");
        assert!(matches!(fault.kind, FaultKind::Race | FaultKind::UnfinishedCopy), "{fault}");
    }
}

#[test]
fn sm80_that_waits_for_one_group_less_reads_an_unfinished_copy() {
    let text = SM80.replace("cp.async.wait_group \t2", "cp.async.wait_group \t3");
    assert_ne!(text, SM80);
    for seed in SEEDS {
        let fault = sm80(&text, seed).expect_err("planted");
        assert!(matches!(fault.kind, FaultKind::Race | FaultKind::UnfinishedCopy), "{fault}");
    }
}

const WAIT0: &str = kernel_text!("gemm_sm90_wait0");
const WAIT1: &str = kernel_text!("gemm_sm90_wait1");

/// The map of a matrix of bfloat16 with rows of `k`, in boxes of `rows` × 64.
fn map(address: u64, rows_of_all: usize, k: usize, rows: u32) -> Arg {
    let map = TensorMap {
        element_bytes: 2,
        address,
        extents: vec![k as u64, rows_of_all as u64],
        strides: vec![2 * k as u64],
        box_extents: vec![64, rows],
        swizzle: Swizzle::B128,
        fill: Fill::Zero,
    };
    Arg::Bytes(map.encode().expect("map").to_vec())
}

fn sm90(text: &str, seed: u64) -> Result<f64, Fault> {
    let sizes @ [m, n, k] = [256, 256, 448];
    let (a, b) = (values(m * k, 3), values(n * k, 4));
    let mut device = Device::new(text, seed);
    let (da, db, dc) = (device.buffer(&a), device.buffer(&b), device.buffer(&vec![0u16; m * n]));
    let args = [
        map(da, m, k, 128),
        map(db, n, k, 256),
        Arg::U64(dc),
        Arg::U32(m as u32),
        Arg::U32(n as u32),
        Arg::U32(k as u32),
    ];
    device.launch_shared("gemm90", [1; 3], [384, 1, 1], 196_608 + 64, &args)?;
    static RIGHT: OnceLock<Vec<f64>> = OnceLock::new();
    Ok(error(&device.read(dc, m * n), RIGHT.get_or_init(|| product(&a, &b, sizes))))
}

#[test]
fn sm90_is_right_for_every_seed() {
    for seed in SEEDS {
        for text in [WAIT0, WAIT1] {
            let error = sm90(text, seed).unwrap_or_else(|fault| panic!("{fault}"));
            assert!(error <= 1.0, "seed {seed}: {error}");
        }
    }
}

#[test]
fn sm90_that_releases_a_stage_before_its_products_are_done_is_found() {
    let text = WAIT1.replace("wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 3;");
    assert_ne!(text, WAIT1);
    for seed in SEEDS {
        let fault = sm90(&text, seed).expect_err("planted");
        assert!(matches!(fault.kind, FaultKind::Race | FaultKind::UnfinishedCopy), "{fault}");
    }
}

#[test]
fn sm90_with_another_stride_in_its_descriptors_is_wrong() {
    // 1 << 62 | 64 << 32 | 1 << 16, with 32 instead of 64.
    let text = WAIT0.replace("4611686293305360384", "4611686155866406912");
    assert_ne!(text, WAIT0);
    for seed in SEEDS {
        assert!(sm90(&text, seed).map_or(true, |error| error > 10.0));
    }
}

#[test]
fn the_swizzle_of_sm80_has_no_bank_conflicts() {
    let run = |text: &str| {
        let [m, n, k] = [128, 128, 128];
        let mut device = Device::new(text, 0);
        device.machine.options_mut().count_traffic = true;
        let (a, b) = (device.buffer(&values(m * k, 1)), device.buffer(&values(n * k, 2)));
        let c = device.buffer(&vec![0u16; m * n]);
        let args = [Arg::U64(a), Arg::U64(b), Arg::U64(c), Arg::U32(128), Arg::U32(128), Arg::U32(128)];
        device.launch_shared("gemm80", [1; 3], [128, 1, 1], 65_536, &args).unwrap_or_else(|fault| panic!("{fault}"))
    };
    let report = run(SM80);
    assert_eq!(report.passes.found, report.passes.least);
    // A and B come in whole sectors; C is stored in pieces of 4 bytes from each of 8 rows.
    assert!(report.sectors.found <= report.sectors.least + report.sectors.least / 2, "{report:?}");
    assert!(report.instructions > 1000 && report.passes.least > 1000, "{report:?}");
}
