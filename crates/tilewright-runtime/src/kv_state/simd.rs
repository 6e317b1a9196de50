//! Vectors of 16 floats for the kernels of attention, by instruction set.
//!
//! [`Simd`] is the set of operations; [`Avx512`], [`Avx2`] and [`Portable`] have them. A kernel is generic over it and
//! inlined into a function of [`InstructionSet::dispatch`] that has the instruction set's features enabled, so that a
//! vector stays in registers: 1 of AVX-512, 2 of AVX2, and what the compiler makes of an array elsewhere.

/// Lanes of a vector.
pub(super) const LANES: usize = 16;

/// An aligned vector in memory.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Line(pub(super) [f32; LANES]);

impl Line {
    pub(super) const ZERO: Self = Self([0.0; LANES]);
}

/// Operations on vectors of [`LANES`] floats.
///
/// # Safety
/// Every function needs a processor with the type's instruction set; those with pointers, that they point to 16
/// elements that may be read or written. Memory may have any alignment.
pub(super) trait Simd {
    type V: Copy;
    /// Whether registers hold 8 rows of 2 vectors of sums, and not just 4 rows of 1.
    const WIDE: bool;

    unsafe fn splat(value: f32) -> Self::V;
    unsafe fn load(from: *const f32) -> Self::V;
    /// Widens float16 from its bits.
    unsafe fn load_f16(from: *const u16) -> Self::V;
    /// Widens bfloat16 from its bits.
    unsafe fn load_bf16(from: *const u16) -> Self::V;
    unsafe fn store(value: Self::V, into: *mut f32);
    unsafe fn add(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn sub(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn mul(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn div(a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`, rounded once where that is an instruction.
    unsafe fn mul_add(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The greater lanes; `b` where one of both is NaN.
    unsafe fn max(a: Self::V, b: Self::V) -> Self::V;
    /// `value`, and 0 in the lanes where `x` is less than `limit`.
    unsafe fn zero_below(x: Self::V, limit: f32, value: Self::V) -> Self::V;
    /// The floats whose bits are those of `value`, shifted left by 23, plus those of 1.
    unsafe fn power_from_bits(value: Self::V) -> Self::V;

    /// The greatest lane of a vector without NaN.
    #[inline(always)]
    unsafe fn greatest_lane(value: Self::V) -> f32 {
        let mut lanes = Line::ZERO;
        // SAFETY: the caller's promise; a line holds 16 elements.
        unsafe { Self::store(value, lanes.0.as_mut_ptr()) };
        let mut width = LANES / 2;
        while width > 0 {
            let mut lane = 0;
            while lane < width {
                let (a, b) = (lanes.0[lane], lanes.0[lane + width]);
                lanes.0[lane] = if a > b { a } else { b };
                lane += 1;
            }
            width /= 2;
        }
        lanes.0[0]
    }
}

/// 2 to the power of each lane, which is 127 at most, to within 2 units in the last place; 0 below -126, NaN for NaN.
///
/// `x` is an integer and `f`, from -1/2 to 1/2 (Cody and Waite 1980); `2^f` is the sum of the first terms of its Taylor
/// series in `f ln 2`, of which the first one left out is below `2^-27`, and the integer goes to the exponent's bits.
///
/// # Safety
/// As for [`Simd`].
#[inline(always)]
pub(super) unsafe fn exp2<S: Simd>(x: S::V) -> S::V {
    /// `ln(2)^k / k!`, from k = 7 down to 0.
    const TERMS: [f32; 8] = [
        1.525_273_4e-5,
        1.540_353e-4,
        1.333_355_8e-3,
        9.618_129e-3,
        5.550_411e-2,
        0.240_226_5,
        std::f32::consts::LN_2,
        1.0,
    ];
    /// Adding it rounds to an integer, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // SAFETY: the caller's promise.
    unsafe {
        let shifted = S::add(x, S::splat(ROUND));
        let f = S::sub(x, S::sub(shifted, S::splat(ROUND)));
        let mut sum = S::splat(TERMS[0]);
        let mut term = 1;
        while term < TERMS.len() {
            sum = S::mul_add(sum, f, S::splat(TERMS[term]));
            term += 1;
        }
        S::zero_below(x, -126.0, S::mul(sum, S::power_from_bits(shifted)))
    }
}

/// Any processor. `FMA` says whether it has fused products.
#[derive(Debug)]
pub(super) struct Portable<const FMA: bool>;

/// Applies an expression to each lane.
macro_rules! lanes {
    ($lane:ident => $value:expr) => {{
        let mut result = [0.0f32; LANES];
        let mut $lane = 0;
        while $lane < LANES {
            result[$lane] = $value;
            $lane += 1;
        }
        result
    }};
}

impl<const FMA: bool> Simd for Portable<FMA> {
    type V = [f32; LANES];
    const WIDE: bool = false;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::V {
        [value; LANES]
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::V {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<Self::V>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self::V {
        // SAFETY: the caller's promise.
        let bits = unsafe { from.cast::<[u16; LANES]>().read_unaligned() };
        lanes!(lane => half::f16::from_bits(bits[lane]).to_f32())
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> Self::V {
        // SAFETY: the caller's promise.
        let bits = unsafe { from.cast::<[u16; LANES]>().read_unaligned() };
        lanes!(lane => f32::from_bits(u32::from(bits[lane]) << 16))
    }

    #[inline(always)]
    unsafe fn store(value: Self::V, into: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { into.cast::<Self::V>().write_unaligned(value) };
    }

    #[inline(always)]
    unsafe fn add(a: Self::V, b: Self::V) -> Self::V {
        lanes!(lane => a[lane] + b[lane])
    }

    #[inline(always)]
    unsafe fn sub(a: Self::V, b: Self::V) -> Self::V {
        lanes!(lane => a[lane] - b[lane])
    }

    #[inline(always)]
    unsafe fn mul(a: Self::V, b: Self::V) -> Self::V {
        lanes!(lane => a[lane] * b[lane])
    }

    #[inline(always)]
    unsafe fn div(a: Self::V, b: Self::V) -> Self::V {
        lanes!(lane => a[lane] / b[lane])
    }

    #[inline(always)]
    unsafe fn mul_add(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        lanes!(lane => if FMA { a[lane].mul_add(b[lane], c[lane]) } else { a[lane] * b[lane] + c[lane] })
    }

    #[inline(always)]
    unsafe fn max(a: Self::V, b: Self::V) -> Self::V {
        lanes!(lane => if a[lane] > b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    unsafe fn zero_below(x: Self::V, limit: f32, value: Self::V) -> Self::V {
        lanes!(lane => if x[lane] < limit { 0.0 } else { value[lane] })
    }

    #[inline(always)]
    unsafe fn power_from_bits(value: Self::V) -> Self::V {
        lanes!(lane => f32::from_bits((value[lane].to_bits() << 23).wrapping_add(0x3f80_0000)))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{LANES, Simd};

    /// AVX-512 F: one register a vector.
    #[derive(Debug)]
    pub(in super::super) struct Avx512;

    /// Writes functions whose bodies are intrinsics.
    macro_rules! operations {
        ($($name:ident($($arg:ident: $of:ty),*) -> $result:ty = $body:expr;)*) => {$(
            #[inline(always)]
            unsafe fn $name($($arg: $of),*) -> $result {
                // SAFETY: the caller's promise on the instruction set and the memory.
                unsafe { $body }
            }
        )*};
    }

    impl Simd for Avx512 {
        type V = __m512;
        const WIDE: bool = true;

        operations! {
            splat(value: f32) -> __m512 = _mm512_set1_ps(value);
            load(from: *const f32) -> __m512 = _mm512_loadu_ps(from);
            load_f16(from: *const u16) -> __m512 = _mm512_cvtph_ps(_mm256_loadu_si256(from.cast()));
            load_bf16(from: *const u16) -> __m512 = {
                let wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(wide))
            };
            store(value: __m512, into: *mut f32) -> () = _mm512_storeu_ps(into, value);
            add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
            sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
            mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
            div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
            mul_add(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
            max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
            zero_below(x: __m512, limit: f32, value: __m512) -> __m512 = {
                let kept = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, _mm512_set1_ps(limit));
                _mm512_maskz_mov_ps(kept, value)
            };
            power_from_bits(value: __m512) -> __m512 = {
                let shifted = _mm512_slli_epi32::<23>(_mm512_castps_si512(value));
                _mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_set1_epi32(0x3f80_0000)))
            };
            greatest_lane(value: __m512) -> f32 = _mm512_reduce_max_ps(value);
        }
    }

    /// AVX2 with FMA and F16C: two registers a vector.
    #[derive(Debug)]
    pub(in super::super) struct Avx2;

    type Pair = (__m256, __m256);

    impl Simd for Avx2 {
        type V = Pair;
        const WIDE: bool = false;

        operations! {
            splat(value: f32) -> Pair = (_mm256_set1_ps(value), _mm256_set1_ps(value));
            load(from: *const f32) -> Pair = (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(LANES / 2)));
            load_f16(from: *const u16) -> Pair = (
                _mm256_cvtph_ps(_mm_loadu_si128(from.cast())),
                _mm256_cvtph_ps(_mm_loadu_si128(from.add(LANES / 2).cast())),
            );
            load_bf16(from: *const u16) -> Pair = {
                let first = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()));
                let second = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.add(LANES / 2).cast()));
                (
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(first)),
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(second)),
                )
            };
            store(value: Pair, into: *mut f32) -> () = {
                _mm256_storeu_ps(into, value.0);
                _mm256_storeu_ps(into.add(LANES / 2), value.1);
            };
            add(a: Pair, b: Pair) -> Pair = (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1));
            sub(a: Pair, b: Pair) -> Pair = (_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1));
            mul(a: Pair, b: Pair) -> Pair = (_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1));
            div(a: Pair, b: Pair) -> Pair = (_mm256_div_ps(a.0, b.0), _mm256_div_ps(a.1, b.1));
            mul_add(a: Pair, b: Pair, c: Pair) -> Pair =
                (_mm256_fmadd_ps(a.0, b.0, c.0), _mm256_fmadd_ps(a.1, b.1, c.1));
            max(a: Pair, b: Pair) -> Pair = (_mm256_max_ps(a.0, b.0), _mm256_max_ps(a.1, b.1));
            zero_below(x: Pair, limit: f32, value: Pair) -> Pair = {
                let limit = _mm256_set1_ps(limit);
                (
                    _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x.0, limit), value.0),
                    _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x.1, limit), value.1),
                )
            };
            power_from_bits(value: Pair) -> Pair = {
                let one = _mm256_set1_epi32(0x3f80_0000);
                let first = _mm256_slli_epi32::<23>(_mm256_castps_si256(value.0));
                let second = _mm256_slli_epi32::<23>(_mm256_castps_si256(value.1));
                (
                    _mm256_castsi256_ps(_mm256_add_epi32(first, one)),
                    _mm256_castsi256_ps(_mm256_add_epi32(second, one)),
                )
            };
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

/// Something to do with the vectors of an instruction set. `run` is marked `#[inline(always)]`.
pub(super) trait Kernel {
    type Output;

    /// # Safety
    /// The processor has the instruction set of `S`.
    unsafe fn run<S: Simd>(self) -> Self::Output;
}

/// An instruction set that the processor has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct InstructionSet(Kind);

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl InstructionSet {
    /// Those that this processor has, the best one first.
    pub(super) fn all() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 =
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
            if avx2 && is_x86_feature_detected!("avx512f") {
                found.push(Self(Kind::Avx512));
            }
            if avx2 {
                found.push(Self(Kind::Avx2));
            }
        }
        found.push(Self(Kind::Portable));
        found
    }

    /// The best one, which is looked for once.
    pub(super) fn best() -> Self {
        static BEST: std::sync::OnceLock<InstructionSet> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Self::all()[0])
    }

    /// Rows of which registers hold sums.
    pub(super) fn group(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => 8,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => 4,
            Kind::Portable => 4,
        }
    }

    /// Runs a kernel.
    pub(super) fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: this kind is made only where the processor has AVX-512 F, AVX2, FMA and F16C.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { run_avx512(kernel) },
            // SAFETY: this kind is made only where the processor has AVX2, FMA and F16C.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { run_avx2(kernel) },
            // Processors of ARM have fused products always.
            // SAFETY: the portable vectors are arrays.
            Kind::Portable => unsafe { kernel.run::<Portable<{ cfg!(target_arch = "aarch64") }>>() },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma,f16c")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function is called only with its features.
    unsafe { kernel.run::<Avx512>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function is called only with its features.
    unsafe { kernel.run::<Avx2>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of 2 of a line.
    struct Powers(Line);

    impl Kernel for Powers {
        type Output = Line;

        #[inline(always)]
        unsafe fn run<S: Simd>(mut self) -> Line {
            // SAFETY: a line holds 16 elements; the caller has the instruction set.
            unsafe { S::store(exp2::<S>(S::load(self.0.0.as_ptr())), self.0.0.as_mut_ptr()) };
            self.0
        }
    }

    /// The sum of both 16-bit types' widened numbers, to see each.
    struct Widened(bool, [u16; LANES]);

    impl Kernel for Widened {
        type Output = Line;

        #[inline(always)]
        unsafe fn run<S: Simd>(self) -> Line {
            let mut result = Line::ZERO;
            let bits = self.1.as_ptr();
            // SAFETY: both arrays hold 16 elements; the caller has the instruction set.
            unsafe {
                S::store(if self.0 { S::load_f16(bits) } else { S::load_bf16(bits) }, result.0.as_mut_ptr());
            }
            result
        }
    }

    #[test]
    fn powers_of_2_are_those_of_the_library() {
        for set in InstructionSet::all() {
            for step in 0..100_000 {
                let x = std::array::from_fn(|lane| -126.0 * (step * 16 + lane) as f32 / 1_600_000.0);
                let found = set.dispatch(Powers(Line(x)));
                for (x, found) in x.into_iter().zip(found.0) {
                    let exact = f64::from(x).exp2();
                    assert!((f64::from(found) - exact).abs() <= exact * 2.4e-7, "{set:?} {x}: {found} for {exact}");
                }
            }
            let mut special = [f32::NEG_INFINITY; LANES];
            special[..4].copy_from_slice(&[0.0, f32::NAN, 10.0, -126.5]);
            let found = set.dispatch(Powers(Line(special))).0;
            assert_eq!((found[0], found[2], found[3], found[15]), (1.0, 1024.0, 0.0, 0.0));
            assert!(found[1].is_nan());
        }
    }

    #[test]
    fn short_floats_are_widened_exactly() {
        for set in InstructionSet::all() {
            for first in (0..=u16::MAX).step_by(LANES) {
                let bits = std::array::from_fn(|lane| first + lane as u16);
                let (f16, bf16) = (set.dispatch(Widened(true, bits)).0, set.dispatch(Widened(false, bits)).0);
                for (lane, bits) in bits.into_iter().enumerate() {
                    let exact = [half::f16::from_bits(bits).to_f32(), half::bf16::from_bits(bits).to_f32()];
                    for (found, exact) in [f16[lane], bf16[lane]].into_iter().zip(exact) {
                        assert!(found == exact || found.is_nan() && exact.is_nan(), "{set:?} {bits:x}: {found}");
                    }
                }
            }
        }
    }
}
