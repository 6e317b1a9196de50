//! Operations from text to result, over edge values, against the arithmetic of Rust.

use crate::harness::{Arg, Device};

const INTS: [u64; 16] = [
    0,
    1,
    2,
    3,
    31,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
];

const FLOATS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    65504.0,
    1e-45,
    -1e-40,
    3.4e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    16_777_217.0,
    -2.5,
    1e300,
    1e-310,
];

/// Runs one instruction on every pair of 16 values; `a`, `b`, `c` and `d` are registers of 64 bits, with registers
/// of 16 and 32 bits for each, and `p` and `q` predicates.
fn run(instructions: &str, x: &[u64; 16]) -> Vec<u64> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
         .reg .pred p, q; .reg .b16 ha, hb, hc, hd; .reg .b32 wa, wb, wc, wd; .reg .b64 a, b, c, d, addr, o, i;\n\
         .reg .b32 t, u, v; ld.param.b64 o, [out]; ld.param.b64 i, [in]; mov.u32 t, %tid.x;\n\
         and.b32 u, t, 15; shr.u32 v, t, 4; mad.wide.u32 addr, u, 8, i; ld.global.b64 a, [addr];\n\
         mad.wide.u32 addr, v, 8, i; ld.global.b64 b, [addr]; add.s64 c, a, 77;\n\
         cvt.u32.u64 wa, a; cvt.u32.u64 wb, b; cvt.u32.u64 wc, c; cvt.u16.u64 ha, a; cvt.u16.u64 hb, b;\n\
         cvt.u16.u64 hc, c; mov.b64 d, 0; mov.b32 wd, 0; mov.b16 hd, 0; setp.lt.u64 p, a, b; setp.eq.u64 q, a, b;\n\
         {instructions}\n\
         mad.wide.u32 addr, t, 8, o; st.global.b64 [addr], d; ret;\n}}\n"
    );
    let mut device = Device::new(&text, 9);
    let (input, out) = (device.buffer(x), device.buffer(&[0u64; 256]));
    let args = [Arg::U64(out), Arg::U64(input)];
    device.launch("k", [1; 3], [256, 1, 1], &args).unwrap_or_else(|fault| panic!("{instructions}: {fault}"));
    device.read(out, 256)
}

fn check(instructions: &str, x: &[u64; 16], right: impl Fn(u64, u64, u64) -> u64) {
    for (at, found) in run(instructions, x).into_iter().enumerate() {
        let (a, b) = (x[at % 16], x[at / 16]);
        let right = right(a, b, a.wrapping_add(77));
        assert_eq!(found, right, "{instructions} of {a:#x} and {b:#x}: {found:#x} is not {right:#x}");
    }
}

/// An instruction on `wd` is looked at in `d`.
fn check32(instruction: &str, right: impl Fn(u32, u32, u32) -> u32) {
    check(&format!("{instruction} cvt.u64.u32 d, wd;"), &INTS, |a, b, c| {
        u64::from(right(a as u32, b as u32, c as u32))
    });
}

#[test]
fn integers() {
    check32("add.s32 wd, wa, wb;", |a, b, _| a.wrapping_add(b));
    check32("sub.s32 wd, wa, wb;", |a, b, _| a.wrapping_sub(b));
    check32("mul.lo.s32 wd, wa, wb;", |a, b, _| a.wrapping_mul(b));
    check32("mad.lo.s32 wd, wa, wb, wc;", |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check32("mul.hi.s32 wd, wa, wb;", |a, b, _| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
    check32("min.s32 wd, wa, wb;", |a, b, _| (a as i32).min(b as i32) as u32);
    check32("max.u32 wd, wa, -5;", |a, _, _| a.max(5u32.wrapping_neg()));
    check32("shl.b32 wd, wa, 5;", |a, _, _| a << 5);
    check32("shr.s32 wd, wa, wb;", |a, b, _| ((a as i32) >> b.min(31)) as u32);
    check32("not.b32 wd, wa;", |a, _, _| !a);
    check32("neg.s32 wd, wa;", |a, _, _| a.wrapping_neg());
    check32("abs.s32 wd, wa;", |a, _, _| (a as i32).wrapping_abs() as u32);
    check32("popc.b32 wd, wa;", |a, _, _| a.count_ones());
    check32("clz.b32 wd, wa;", |a, _, _| a.leading_zeros());
    check32("brev.b32 wd, wa;", |a, _, _| a.reverse_bits());
    check32("bfe.u32 wd, wa, 4, 8;", |a, _, _| (a >> 4) & 0xff);
    check32("bfi.b32 wd, wa, wb, 8, 8;", |a, b, _| (b & !0xff00) | (a & 0xff) << 8);
    check32("lop3.b32 wd, wa, wb, wc, 0x96;", |a, b, c| a ^ b ^ c);
    check32("prmt.b32 wd, wa, wb, 0x0123;", |a, _, _| a.swap_bytes());
    check32("shf.l.wrap.b32 wd, wa, wb, 8;", |a, b, _| (b << 8) | (a >> 24));
}

#[test]
fn integers_of_other_widths() {
    check("mul.wide.s32 d, wa, wb;", &INTS, |a, b, _| (i64::from(a as i32) * i64::from(b as i32)) as u64);
    check("mul.wide.u16 wd, ha, hb; cvt.u64.u32 d, wd;", &INTS, |a, b, _| (a & 0xffff) * (b & 0xffff));
    check("mul.hi.u64 d, a, b;", &INTS, |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("add.cc.u64 d, a, b; addc.u64 d, 0, 0;", &INTS, |a, b, _| u64::from(a.checked_add(b).is_none()));
    check("sub.cc.u64 d, a, b; subc.u64 d, 0, 0;", &INTS, |a, b, _| if a < b { u64::MAX } else { 0 });
    check("add.s16 hd, ha, hb; cvt.s64.s16 d, hd;", &INTS, |a, b, _| (a as i16).wrapping_add(b as i16) as i64 as u64);
    check("cvt.s64.s8 d, a;", &INTS, |a, _, _| a as i8 as i64 as u64);
    check("cvt.s16.s8 hd, ha; cvt.u64.u16 d, hd;", &INTS, |a, _, _| u64::from(a as i8 as i16 as u16));
    check("cvt.sat.u8.s64 hd, a; cvt.u64.u16 d, hd;", &INTS, |a, _, _| (a as i64).clamp(0, 255) as u64);
    check("mov.b64 {wa, wb}, a; mov.b64 d, {wb, wa};", &INTS, |a, _, _| a.rotate_left(32));
    check(
        "div.s64 d, a, b;",
        &INTS,
        |a, b, _| {
            if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }
        },
    );
    check("bfind.u64 wd, a; cvt.u64.u32 d, wd;", &INTS, |a, _, _| {
        if a == 0 { 0xffff_ffff } else { 63 - u64::from(a.leading_zeros()) }
    });
}

#[test]
fn predicates() {
    let flag = "selp.b64 d, 1, 0, p;";
    check(&format!("setp.ge.s64 p, a, b; {flag}"), &INTS, |a, b, _| u64::from(a as i64 >= b as i64));
    check(&format!("setp.hi.u32 p, wa, wb; {flag}"), &INTS, |a, b, _| u64::from(a as u32 > b as u32));
    check(&format!("setp.lt.and.u64 p, a, b, !q; {flag}"), &INTS, |a, b, _| u64::from(a < b));
    check(&format!("setp.ne.xor.u64 p, a, b, q; {flag}"), &INTS, |_, _, _| 1);
    check(&format!("setp.lt.u64 p|q, a, b; not.pred p, q; {flag}"), &INTS, |a, b, _| u64::from(a < b));
    check(&format!("and.pred p, p, q; {flag}"), &INTS, |_, _, _| 0);
    check(&format!("mov.pred p, q; {flag}"), &INTS, |a, b, _| u64::from(a == b));
    check(
        "@p add.s64 d, a, 1; @!p add.s64 d, b, 2;",
        &INTS,
        |a, b, _| {
            if a < b { a.wrapping_add(1) } else { b.wrapping_add(2) }
        },
    );
    check("set.lt.u32.u64 wd, a, b; cvt.u64.u32 d, wd;", &INTS, |a, b, _| if a < b { 0xffff_ffff } else { 0 });
    check("set.lt.f32.u64 wd, a, b; cvt.u64.u32 d, wd;", &INTS, |a, b, _| if a < b { 0x3f80_0000 } else { 0 });
}

#[test]
fn floats() {
    let doubles = FLOATS.map(f64::to_bits);
    let singles = FLOATS.map(|x| u64::from((x as f32).to_bits()));
    let double = |x: f64| if x.is_nan() { 0x7fff_ffff_ffff_ffff } else { x.to_bits() };
    let single = |x: f32| if x.is_nan() { 0x7fff_ffff } else { u64::from(x.to_bits()) };
    let (f, g) = (f64::from_bits, |x: u64| f32::from_bits(x as u32));
    check("add.f64 d, a, b;", &doubles, |a, b, _| double(f(a) + f(b)));
    check("fma.rn.f64 d, a, b, a;", &doubles, |a, b, _| double(f(a).mul_add(f(b), f(a))));
    check("div.rn.f64 d, a, b;", &doubles, |a, b, _| double(f(a) / f(b)));
    check("sqrt.rn.f64 d, a;", &doubles, |a, _, _| double(f(a).sqrt()));
    check("cvt.rn.f32.f64 wd, a; cvt.u64.u32 d, wd;", &doubles, |a, _, _| single(f(a) as f32));
    check("cvt.rzi.s64.f64 d, a;", &doubles, |a, _, _| f(a) as i64 as u64);
    check("cvt.rmi.f64.f64 d, a;", &doubles, |a, _, _| double(f(a).floor()));
    check("copysign.f64 d, a, b;", &doubles, |a, b, _| f(b).copysign(f(a)).to_bits());
    let narrow = "cvt.u64.u32 d, wd;";
    check(&format!("mul.rn.f32 wd, wa, wb; {narrow}"), &singles, |a, b, _| single(g(a) * g(b)));
    check(&format!("fma.rn.f32 wd, wa, wb, wb; {narrow}"), &singles, |a, b, _| single(g(a).mul_add(g(b), g(b))));
    check(&format!("max.NaN.f32 wd, wa, wb; {narrow}"), &singles, |a, b, _| {
        if g(a).is_nan() || g(b).is_nan() {
            0x7fff_ffff
        } else if g(a) == g(b) {
            single(if g(a).is_sign_positive() { g(a) } else { g(b) })
        } else {
            single(g(a).max(g(b)))
        }
    });
    check(&format!("cvt.rni.s32.f32 wd, wa; {narrow}"), &singles, |a, _, _| {
        u64::from(g(a).round_ties_even() as i32 as u32)
    });
    check("setp.geu.f32 p, wa, wb; selp.b64 d, 1, 0, p;", &singles, |a, b, _| {
        u64::from(!matches!(g(a).partial_cmp(&g(b)), Some(std::cmp::Ordering::Less)))
    });
    check("testp.subnormal.f32 p, wa; selp.b64 d, 1, 0, p;", &singles, |a, _, _| u64::from(g(a).is_subnormal()));
    check(&format!("add.ftz.f32 wd, wa, wb; {narrow}"), &singles, |a, b, _| {
        let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
        single(flush(flush(g(a)) + flush(g(b))))
    });
}

#[test]
fn conversions_between_floats_and_integers() {
    let narrow = "cvt.u64.u32 d, wd;";
    check(&format!("cvt.rn.f32.u64 wd, a; {narrow}"), &INTS, |a, _, _| u64::from((a as f32).to_bits()));
    check("cvt.rn.f64.s64 d, a;", &INTS, |a, _, _| (a as i64 as f64).to_bits());
    check(&format!("cvt.rz.f32.s64 wd, a; {narrow}"), &INTS, |a, _, _| {
        let exact = a as i64;
        let nearest = exact as f32;
        // The nearest one is right unless it is larger in magnitude.
        let over = (nearest as i128).unsigned_abs() > i128::from(exact).unsigned_abs();
        u64::from(if over { nearest.to_bits() - 1 } else { nearest.to_bits() })
    });
}

/// Opcode, the exact function, the bound, and whether that is absolute for results below 1.
type Approximation = (&'static str, fn(f64) -> f64, f64, bool);

#[test]
fn approximations_are_within_their_bounds_and_not_exact() {
    let x: [u64; 16] = std::array::from_fn(|i| u64::from((0.37 * i as f32 + 0.11).to_bits()));
    let cases: [Approximation; 8] = [
        ("ex2.approx.ftz.f32", f64::exp2, 2f64.powf(-22.5), false),
        ("rcp.approx.ftz.f32", f64::recip, 2f64.powi(-23), false),
        ("rsqrt.approx.f32", |x| 1.0 / x.sqrt(), 2f64.powf(-22.9), false),
        ("sqrt.approx.f32", f64::sqrt, 2f64.powi(-23), false),
        ("lg2.approx.f32", f64::log2, 2f64.powi(-22), true),
        ("sin.approx.f32", f64::sin, 2f64.powf(-20.5), true),
        ("cos.approx.ftz.f32", f64::cos, 2f64.powf(-20.5), true),
        ("tanh.approx.f32", f64::tanh, 2f64.powi(-11), false),
    ];
    for (opcode, exact, bound, absolute) in cases {
        let found = run(&format!("{opcode} wd, wa; cvt.u64.u32 d, wd;"), &x);
        let mut inexact = 0;
        for (found, x) in found.iter().zip(x.map(|x| f64::from(f32::from_bits(x as u32)))) {
            let (found, exact) = (f64::from(f32::from_bits(*found as u32)), exact(x));
            // Half a unit of float32 may be added by the last rounding.
            let scale = if absolute { exact.abs().max(1.0) } else { exact.abs() };
            assert!((found - exact).abs() <= scale * (bound + 2f64.powi(-24)), "{opcode} of {x}: {found} for {exact}");
            inexact += u32::from(found != f64::from(exact as f32));
        }
        assert!(inexact > 0, "{opcode} is never wrong");
    }
}
