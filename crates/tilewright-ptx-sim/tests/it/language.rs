//! What LLVM makes of calls, local memory, tables, switches, wide integers and reductions.

use tilewright_ptx_sim::FaultKind;

use crate::harness::{Arg, Device, SEEDS, kernel_text};

fn run(kernel: &str, threads: u32, seed: u64, x: Option<&[u8]>, out: usize) -> Vec<u8> {
    let mut device = Device::new(kernel_text!("language"), seed);
    let result = device.buffer(&vec![0u8; out]);
    let mut args = vec![Arg::U64(result)];
    if let Some(x) = x {
        args.push(Arg::U64(device.buffer(x)));
    }
    device.launch(kernel, [1; 3], [threads, 1, 1], &args).unwrap_or_else(|fault| panic!("{fault}"));
    device.read(result, out)
}

fn words(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks(4).map(|word| i32::from_le_bytes(word.try_into().expect("word"))).collect()
}

#[test]
fn some_lanes_call_a_function() {
    let x: Vec<u8> = (0..50).flat_map(|i| (i as f32 * 0.5).to_le_bytes()).collect();
    for seed in SEEDS {
        let out = run("calls", 50, seed, Some(&x), 200);
        for (t, word) in out.chunks(4).enumerate() {
            let right = if t % 2 == 1 { (t as f32 * 0.5 + t as f32) * 4.0 + 3.0 } else { -1.0 };
            assert_eq!(f32::from_le_bytes(word.try_into().expect("word")), right, "thread {t}");
        }
    }
}

#[test]
fn local_arrays_and_tables_are_each_lanes_own() {
    let right: Vec<i32> =
        (0..40).map(|t: i32| (7 - t % 8) * t + 1000 * (t % 4 + 1) + [1, -2, 3, 4][t as usize % 4] + 7).collect();
    assert_eq!(words(&run("tables", 40, 3, None, 160)), right);
}

#[test]
fn switches_divide_a_warp() {
    let right: Vec<i32> = (0..32)
        .map(|t| match t % 7 {
            0 => 6,
            1 => 15,
            2 => 3 * t,
            3 => 0,
            4 => 45,
            _ => 1,
        })
        .collect();
    for seed in SEEDS {
        assert_eq!(words(&run("switches", 32, seed, None, 128)), right);
    }
}

#[test]
fn carries_go_through_128_bits() {
    let values = [0u128, 1, u64::MAX.into(), u128::MAX, 0x1234_5678_9abc_def0_1111_2222_3333_4444];
    let x: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let out = run("wide", 5, 1, Some(&x), 80);
    for (value, bytes) in values.iter().zip(out.chunks(16)) {
        let right = value.wrapping_mul(*value).wrapping_sub(12_345_678_901_234_567_890_123_456_789);
        assert_eq!(u128::from_le_bytes(bytes.try_into().expect("16")), right);
    }
}

#[test]
fn two_warps_reduce_through_shared_memory() {
    let x: Vec<u8> = (0..64i32).flat_map(|i| (i * i).to_le_bytes()).collect();
    for seed in SEEDS {
        assert_eq!(words(&run("reduce", 64, seed, Some(&x), 256)), [85_344; 64]);
    }
}

fn last_block(text: &str, seed: u64) -> Result<u32, tilewright_ptx_sim::Fault> {
    let mut device = Device::new(text, seed);
    let input = device.buffer(&(0..512).collect::<Vec<u32>>());
    let out = device.buffer(&[0u32; 513]);
    device.launch("last_block", [8, 1, 1], [64, 1, 1], &[Arg::U64(out), Arg::U64(input)])?;
    Ok(device.read::<u32>(out, 1)[0])
}

#[test]
fn the_last_block_sees_what_all_blocks_wrote() {
    let text = kernel_text!("language");
    for seed in SEEDS {
        assert_eq!(last_block(text, seed).unwrap_or_else(|fault| panic!("{fault}")), 3 * 511 * 256);
    }
    let fence = "fence.acq_rel.gpu;";
    assert_eq!(text.matches(fence).count(), 2);
    let (before, after) = text.split_once(fence).expect("fence");
    for (text, seed) in [format!("{before}{after}"), format!("{before}{fence}{}", after.replace(fence, ""))]
        .iter()
        .flat_map(|text| SEEDS.map(move |seed| (text, seed)))
    {
        let fault = last_block(text, seed).expect_err("nothing orders the blocks");
        assert_eq!(fault.kind, FaultKind::Race, "{fault}");
    }
}
