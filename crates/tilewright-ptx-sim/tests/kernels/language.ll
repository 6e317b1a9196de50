; llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 language.ll -o language.ptx
; Calls with structures, local arrays, tables in constant and global memory, branch tables, 128-bit sums, shuffles.

@weights = internal constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
@offsets = internal addrspace(4) constant [4 x i32] [i32 1, i32 -2, i32 3, i32 4]
@counter = addrspace(1) global i32 7
@pointers = addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @counter, ptr addrspace(1) null]
@cells = internal addrspace(3) global [64 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define float @mix(float %x, i32 %n, {i32, i64} %s) noinline {
  %c = extractvalue {i32, i64} %s, 1
  %d = extractvalue {i32, i64} %s, 0
  %f = sitofp i64 %c to float
  %i = sitofp i32 %n to float
  %e = sitofp i32 %d to float
  %r = fadd float %x, %i
  %r2 = fmul float %r, %f
  %r3 = fadd float %r2, %e
  ret float %r3
}

; out[t] = (x[t] + t) * 4 + 3, called by the odd threads only; the others store -1.
define ptx_kernel void @calls(ptr addrspace(1) %out, ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr addrspace(1) %x, i32 %t
  %po = getelementptr float, ptr addrspace(1) %out, i32 %t
  %v = load float, ptr addrspace(1) %px
  %b = and i32 %t, 1
  %odd = icmp ne i32 %b, 0
  br i1 %odd, label %call, label %no
call:
  %r = call float @mix(float %v, i32 %t, {i32, i64} {i32 3, i64 4})
  store float %r, ptr addrspace(1) %po
  br label %done
no:
  store float -1.0, ptr addrspace(1) %po
  br label %done
done:
  ret void
}

; A local array that is filled backwards and read at an index of its own; tables of both memories.
define ptx_kernel void @tables(ptr addrspace(1) %out) {
entry:
  %a = alloca [8 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %j, %fill ]
  %back = sub i32 7, %i
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %back
  %v = mul i32 %i, %t
  store volatile i32 %v, ptr %p
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 8
  br i1 %more, label %fill, label %read
read:
  %k = and i32 %t, 7
  %q = getelementptr [8 x i32], ptr %a, i32 0, i32 %k
  %l = load volatile i32, ptr %q
  %m = and i32 %t, 3
  %pw = getelementptr [4 x float], ptr @weights, i32 0, i32 %m
  %w = load float, ptr %pw
  %wi = fptosi float %w to i32
  %pc = getelementptr [4 x i32], ptr addrspace(4) @offsets, i32 0, i32 %m
  %c = load i32, ptr addrspace(4) %pc
  %pp = load ptr addrspace(1), ptr addrspace(1) @pointers
  %g = load i32, ptr addrspace(1) %pp
  %s1 = mul i32 %wi, 1000
  %s2 = add i32 %l, %s1
  %s3 = add i32 %s2, %c
  %s4 = add i32 %s3, %g
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %s4, ptr addrspace(1) %po
  ret void
}

define ptx_kernel void @switches(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %m = urem i32 %t, 7
  switch i32 %m, label %other [ i32 0, label %a0
    i32 1, label %a1
    i32 2, label %a2
    i32 3, label %a3
    i32 4, label %a4 ]
a0: 
  store volatile i32 5, ptr addrspace(1) %po
  br label %other
a1:
  store volatile i32 15, ptr addrspace(1) %po
  br label %done
a2:
  %x = mul i32 %t, 3
  store volatile i32 %x, ptr addrspace(1) %po
  br label %done
a3:
  ret void
a4:
  store volatile i32 45, ptr addrspace(1) %po
  br label %done
other:
  %y = load volatile i32, ptr addrspace(1) %po
  %z = add i32 %y, 1
  store volatile i32 %z, ptr addrspace(1) %po
  br label %done
done:
  ret void
}

define ptx_kernel void @wide(ptr addrspace(1) %out, ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i128, ptr addrspace(1) %x, i32 %t
  %po = getelementptr i128, ptr addrspace(1) %out, i32 %t
  %v = load i128, ptr addrspace(1) %px
  %m = mul i128 %v, %v
  %a = sub i128 %m, 12345678901234567890123456789
  store i128 %a, ptr addrspace(1) %po
  ret void
}

; The sum of 64 values: shuffles within a warp, shared memory between the two.
define ptx_kernel void @reduce(ptr addrspace(1) %out, ptr addrspace(1) %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %t
  %v = load i32, ptr addrspace(1) %px
  br label %loop
loop:
  %d = phi i32 [ 16, %entry ], [ %half, %loop ]
  %s = phi i32 [ %v, %entry ], [ %s2, %loop ]
  %o = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %s, i32 %d, i32 31)
  %s2 = add i32 %s, %o
  %half = lshr i32 %d, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %after
after:
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %first = icmp eq i32 %lane, 0
  %ps = getelementptr [64 x i32], ptr addrspace(3) @cells, i32 0, i32 %warp
  br i1 %first, label %put, label %meet
put:
  store i32 %s2, ptr addrspace(3) %ps
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p1 = getelementptr [64 x i32], ptr addrspace(3) @cells, i32 0, i32 1
  %a = load i32, ptr addrspace(3) @cells
  %b = load i32, ptr addrspace(3) %p1
  %sum = add i32 %a, %b
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %po
  ret void
}

; The sum of all values by the block that comes last: stores, a fence, a counter, a fence, a flag in shared memory.
; LLVM drops the order of an atomicrmw (`atom.global.add`, which is relaxed), so that both fences are needed.
@flag = internal addrspace(3) global i32 undef
@arrived = internal addrspace(1) global i32 0
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
define ptx_kernel void @last_block(ptr addrspace(1) %out, ptr addrspace(1) %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %start = shl i32 %b, 6
  %i = add i32 %start, %t
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %px
  %v3 = mul i32 %v, 3
  %next = add i32 %i, 1
  %pp = getelementptr i32, ptr addrspace(1) %out, i32 %next
  store i32 %v3, ptr addrspace(1) %pp
  fence syncscope("device") acq_rel
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %first = icmp eq i32 %t, 0
  br i1 %first, label %count, label %meet
count:
  %old = atomicrmw add ptr addrspace(1) @arrived, i32 1 syncscope("device") monotonic
  fence syncscope("device") acq_rel
  store i32 %old, ptr addrspace(3) @flag
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %seen = load i32, ptr addrspace(3) @flag
  %last = sub i32 %n, 1
  %is = icmp eq i32 %seen, %last
  %me = and i1 %is, %first
  br i1 %me, label %sum, label %done
sum:
  %all = shl i32 %n, 6
  br label %loop
loop:
  %k = phi i32 [ 1, %sum ], [ %k2, %loop ]
  %s = phi i32 [ 0, %sum ], [ %s2, %loop ]
  %pk = getelementptr i32, ptr addrspace(1) %out, i32 %k
  %w = load i32, ptr addrspace(1) %pk
  %s2 = add i32 %s, %w
  %k2 = add i32 %k, 1
  %more = icmp sle i32 %k2, %all
  br i1 %more, label %loop, label %put
put:
  store i32 %s2, ptr addrspace(1) %out
  br label %done
done:
  ret void
}
