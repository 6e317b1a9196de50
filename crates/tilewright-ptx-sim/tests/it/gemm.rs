//! GEMMs with asynchronous copies and tensor cores, and faults planted in them.

use tilewright_ptx_sim::{Fault, FaultKind};

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

/// The largest difference from C in float64, over what rounding to bfloat16 explains.
fn error(a: &[u16], b: &[u16], c: &[u16], [m, n, k]: [usize; 3]) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = (a.iter().map(|x| widen(*x)).collect(), b.iter().map(|x| widen(*x)).collect());
    let mut worst = 0.0f64;
    for i in 0..m {
        for j in 0..n {
            let right: f64 = (0..k).map(|l| a[i * k + l] * b[j * k + l]).sum();
            let bound = right.abs() / 256.0 + 1e-4;
            let error = (widen(c[i * n + j]) - right).abs() / bound;
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
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
    Ok(error(&a, &b, &device.read(dc, m * n), sizes))
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
