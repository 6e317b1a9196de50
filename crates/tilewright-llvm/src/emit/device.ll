; The first thread that fails writes the record (DeviceFailure in tilewright-tensor).
define internal void @tilewright.fail(ptr %cx, i32 %launch, i32 %status, ptr %message, i64 %bytes) noinline #0 {
b0:
  %old = cmpxchg ptr %cx, i32 0, i32 1 monotonic monotonic, align 4
  %first = extractvalue { i32, i1 } %old, 1
  br i1 %first, label %b1, label %b2
b1:
  %status.at = getelementptr inbounds i8, ptr %cx, i64 4
  store i32 %status, ptr %status.at, align 4
  %launch.at = getelementptr inbounds i8, ptr %cx, i64 8
  store i32 %launch, ptr %launch.at, align 4
  %message.at = getelementptr inbounds i8, ptr %cx, i64 16
  store ptr %message, ptr %message.at, align 8
  %bytes.at = getelementptr inbounds i8, ptr %cx, i64 24
  store i64 %bytes, ptr %bytes.at, align 8
  br label %b2
b2:
  ret void
}

; |x| after whole |y|, with the sign of x, both finite and y not 0: of two floats whose exponents differ by k, one with
; the larger exponent is reduced bit by bit, k times. A subnormal number has the exponent 1 and no implicit bit; its
; significand is shifted until it has one, and its exponent falls below.
define internal double @tilewright.remainder(double %x, double %y) noinline #0 {
b0:
  %xb = bitcast double %x to i64
  %yb = bitcast double %y to i64
  %sign = and i64 %xb, -9223372036854775808
  %xa = and i64 %xb, 9223372036854775807
  %ya = and i64 %yb, 9223372036854775807
  %xnan = icmp uge i64 %xa, 9218868437227405312
  %ynan = icmp ugt i64 %ya, 9218868437227405312
  %yzero = icmp eq i64 %ya, 0
  %bad.0 = or i1 %xnan, %ynan
  %bad = or i1 %bad.0, %yzero
  br i1 %bad, label %none, label %b1
none:
  ret double 0x7FF8000000000000
b1:
  %less = icmp ult i64 %xa, %ya
  br i1 %less, label %same, label %b2
same:
  ret double %x
b2:
  %xe = lshr i64 %xa, 52
  %ye = lshr i64 %ya, 52
  %xf = and i64 %xa, 4503599627370495
  %yf = and i64 %ya, 4503599627370495
  %xsub = icmp eq i64 %xe, 0
  %ysub = icmp eq i64 %ye, 0
  %xz = call i64 @llvm.ctlz.i64(i64 %xf, i1 false)
  %yz = call i64 @llvm.ctlz.i64(i64 %yf, i1 false)
  %xs = sub i64 %xz, 11
  %ys = sub i64 %yz, 11
  %xs.1 = and i64 %xs, 63
  %ys.1 = and i64 %ys, 63
  %xm.sub = shl i64 %xf, %xs.1
  %ym.sub = shl i64 %yf, %ys.1
  %xe.sub = sub i64 1, %xs.1
  %ye.sub = sub i64 1, %ys.1
  %xm.nor = or i64 %xf, 4503599627370496
  %ym.nor = or i64 %yf, 4503599627370496
  %xm = select i1 %xsub, i64 %xm.sub, i64 %xm.nor
  %ym = select i1 %ysub, i64 %ym.sub, i64 %ym.nor
  %xp = select i1 %xsub, i64 %xe.sub, i64 %xe
  %yp = select i1 %ysub, i64 %ye.sub, i64 %ye
  br label %loop
loop:
  %m = phi i64 [ %xm, %b2 ], [ %m.next, %next ]
  %p = phi i64 [ %xp, %b2 ], [ %p.next, %next ]
  %d = sub i64 %m, %ym
  %fits = icmp sge i64 %d, 0
  %r = select i1 %fits, i64 %d, i64 %m
  %last = icmp sle i64 %p, %yp
  br i1 %last, label %done, label %next
next:
  %m.next = shl i64 %r, 1
  %p.next = sub i64 %p, 1
  br label %loop
done:
  %zero = icmp eq i64 %r, 0
  br i1 %zero, label %nothing, label %b3
nothing:
  %signed.zero = bitcast i64 %sign to double
  ret double %signed.zero
b3:
  %rz = call i64 @llvm.ctlz.i64(i64 %r, i1 true)
  %up.0 = sub i64 %rz, 11
  %up = and i64 %up.0, 63
  %e = sub i64 %yp, %up
  %normal = icmp sgt i64 %e, 0
  %whole = shl i64 %r, %up
  %fraction = and i64 %whole, 4503599627370495
  %biased = shl i64 %e, 52
  %bits.nor = or i64 %fraction, %biased
  %down.0 = sub i64 1, %e
  %down = and i64 %down.0, 63
  %bits.sub = lshr i64 %whole, %down
  %bits = select i1 %normal, i64 %bits.nor, i64 %bits.sub
  %result = or i64 %bits, %sign
  %float = bitcast i64 %result to double
  ret double %float
}

declare i64 @llvm.ctlz.i64(i64, i1)

