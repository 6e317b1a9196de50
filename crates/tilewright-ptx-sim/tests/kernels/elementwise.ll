; llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 elementwise.ll -o elementwise.ptx
; out[i] = a * x[i] + y[i] for i < n, in float32 and float16, one element a thread.

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define internal i64 @index() alwaysinline {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %s = mul i32 %b, %n
  %i = add i32 %s, %t
  %w = zext i32 %i to i64
  ret i64 %w
}

define ptx_kernel void @saxpy(ptr addrspace(1) noalias align 16 %out, ptr addrspace(1) noalias readonly align 16 %x,
                              ptr addrspace(1) noalias readonly align 16 %y, float %a, i64 %n) {
entry:
  %i = call i64 @index()
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %body, label %done
body:
  %px = getelementptr float, ptr addrspace(1) %x, i64 %i
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  %po = getelementptr float, ptr addrspace(1) %out, i64 %i
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr addrspace(1) %po
  br label %done
done:
  ret void
}

define ptx_kernel void @haxpy(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %x,
                              ptr addrspace(1) noalias readonly %y, half %a, i64 %n) {
entry:
  %i = call i64 @index()
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %body, label %done
body:
  %px = getelementptr half, ptr addrspace(1) %x, i64 %i
  %py = getelementptr half, ptr addrspace(1) %y, i64 %i
  %po = getelementptr half, ptr addrspace(1) %out, i64 %i
  %vx = load half, ptr addrspace(1) %px
  %vy = load half, ptr addrspace(1) %py
  %m = fmul half %a, %vx
  %s = fadd half %m, %vy
  store half %s, ptr addrspace(1) %po
  br label %done
done:
  ret void
}
