//! The smallest kernels: an element a thread.

use crate::harness::{Arg, Device, SEEDS, kernel_text};

#[test]
fn saxpy_is_that_of_the_host() {
    let n = 100_000u32;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.37 - 1000.0).collect();
    let y: Vec<f32> = (0..n).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    let mut device = Device::new(kernel_text!("elementwise"), 1);
    let (dx, dy) = (device.buffer(&x), device.buffer(&y));
    let out = device.machine.alloc(4 * n as u64).expect("memory");
    let args = [Arg::U64(out), Arg::U64(dx), Arg::U64(dy), Arg::F32(2.5), Arg::U64(n as u64)];
    device.launch("saxpy", [n.div_ceil(256), 1, 1], [256, 1, 1], &args).unwrap_or_else(|fault| panic!("{fault}"));
    let right: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.5 * x + y).collect();
    assert_eq!(device.read::<f32>(out, n as usize), right);
}

#[test]
fn halves_are_rounded_twice() {
    // 3 * 1.001953125 is a float16, and 2048 plus that is 2051.006, which is rounded to 2052.
    for seed in SEEDS {
        let mut device = Device::new(kernel_text!("elementwise"), seed);
        let (x, y) = (device.buffer(&[0x3c02u16; 70]), device.buffer(&[0x6800u16; 70]));
        let out = device.buffer(&[0u16; 70]);
        let args = [Arg::U64(out), Arg::U64(x), Arg::U64(y), Arg::U16(0x4200), Arg::U64(70)];
        device.launch("haxpy", [3, 1, 1], [32, 1, 1], &args).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(device.read::<u16>(out, 70), [0x6802; 70]);
    }
}
