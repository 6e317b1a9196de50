"""Warp-specialised persistent GEMM for sm_90a: C[M,N] = A[M,K] B[N,K]^T in bfloat16, as text of LLVM.

One producer warpgroup loads tiles by TMA, two consumers multiply them with wgmma. `wait1` leaves one group of products
under way.

    python gemm_sm90.py wait0 | llc -O3 -mcpu=sm_90a -o gemm_sm90_wait0.ptx
    python gemm_sm90.py wait1 | llc -O3 -mcpu=sm_90a -o gemm_sm90_wait1.ptx
"""

import sys

BM, BN, BK, ST = 128, 256, 64, 4
NACC = BN // 2
o = []
n = [0]


def t():
    n[0] += 1
    return f"%v{n[0]}"


def e(s):
    o.append("  " + s)


def op(s):
    r = t()
    e(f"{r} = {s}")
    return r


def lab(s):
    o.append(s + ":")


AB = BM * BK * 2
BB = BN * BK * 2
BAR = ST * (AB + BB)
o.append("""target triple = "nvptx64-nvidia-cuda"
@smem = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32)
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
define ptx_kernel void @gemm90(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %ta, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %tb, ptr addrspace(1) align 16 %c, i32 %m, i32 %n, i32 %k) #0 {
entry:""")
tid = op("call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
cta = op("call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()")
ncta = op("call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()")
full = [op(f"getelementptr i8, ptr addrspace(3) @smem, i32 {BAR + 8 * s}") for s in range(1)][0]
empty = op(f"getelementptr i8, ptr addrspace(3) @smem, i32 {BAR + 8 * ST}")
first = op(f"icmp eq i32 {tid}, 0")
e(f"br i1 {first}, label %init, label %go")
lab("init")
for s in range(ST):
    p = op(f"getelementptr i8, ptr addrspace(3) {full}, i32 {8 * s}")
    e(f"call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) {p}, i32 1)")
    p = op(f"getelementptr i8, ptr addrspace(3) {empty}, i32 {8 * s}")
    e(f"call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) {p}, i32 2)")
e("call void @llvm.nvvm.fence.mbarrier_init.release.cluster()")
e("br label %go")
lab("go")
e("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")
wg = op(f"lshr i32 {tid}, 7")
tm = op(f"lshr i32 %m, 7")
tn = op("lshr i32 %n, 8")
tiles = op(f"mul i32 {tm}, {tn}")
ks = op("lshr i32 %k, 6")
isp = op(f"icmp eq i32 {wg}, 0")
e(f"br i1 {isp}, label %producer, label %consumer")
# producer
lab("producer")
e("call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 40)")
e(f"br i1 {first}, label %ptile, label %done")
lab("ptile")
e(f"%pt = phi i32 [ {cta}, %producer ], [ %ptn, %ptend ]")
e(f"%pst0 = phi i32 [ 0, %producer ], [ %pst1, %ptend ]")
e("%pph0 = phi i32 [ 1, %producer ], [ %pph1, %ptend ]")
more = op(f"icmp ult i32 %pt, {tiles}")
e(f"br i1 {more}, label %pk0, label %done")
lab("pk0")
pm = op(f"urem i32 %pt, {tm}")
pn = op(f"udiv i32 %pt, {tm}")
row = op(f"shl i32 {pm}, 7")
col = op(f"shl i32 {pn}, 8")
e("br label %pk")
lab("pk")
e("%pki = phi i32 [ 0, %pk0 ], [ %pki1, %pgo ]")
e("%pst = phi i32 [ %pst0, %pk0 ], [ %pstn, %pgo ]")
e("%pph = phi i32 [ %pph0, %pk0 ], [ %pphn, %pgo ]")
so = op("shl i32 %pst, 3")
eb = op(f"getelementptr i8, ptr addrspace(3) {empty}, i32 {so}")
fb = op(f"getelementptr i8, ptr addrspace(3) {full}, i32 {so}")
e("br label %pwait")
lab("pwait")
w = op(f"call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) {eb}, i32 %pph)")
e(f"br i1 {w}, label %pgo, label %pwait")
lab("pgo")
op(f"call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) {fb}, i32 {AB + BB})")
ao = op(f"mul i32 %pst, {AB}")
ad = op(f"getelementptr i8, ptr addrspace(3) @smem, i32 {ao}")
a7 = op(f"addrspacecast ptr addrspace(3) {ad} to ptr addrspace(7)")
bo = op(f"mul i32 %pst, {BB}")
bo2 = op(f"add i32 {bo}, {ST * AB}")
bd = op(f"getelementptr i8, ptr addrspace(3) @smem, i32 {bo2}")
b7 = op(f"addrspacecast ptr addrspace(3) {bd} to ptr addrspace(7)")
kc = op("shl i32 %pki, 6")
e(
    f"call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) {a7}, ptr addrspace(3) {fb}, ptr %ta, i32 {kc}, i32 {row}, i16 0, i64 0, i1 false, i1 false, i32 0)"
)
e(
    f"call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) {b7}, ptr addrspace(3) {fb}, ptr %tb, i32 {kc}, i32 {col}, i16 0, i64 0, i1 false, i1 false, i32 0)"
)
s1 = op("add i32 %pst, 1")
wr = op(f"icmp eq i32 {s1}, {ST}")
e(f"%pstn = select i1 {wr}, i32 0, i32 {s1}")
x = op(f"zext i1 {wr} to i32")
e(f"%pphn = xor i32 %pph, {x}")
e("%pki1 = add i32 %pki, 1")
d = op(f"icmp ult i32 %pki1, {ks}")
e(f"br i1 {d}, label %pk, label %ptend")
lab("ptend")
e("%pst1 = phi i32 [ %pstn, %pgo ]")
e("%pph1 = phi i32 [ %pphn, %pgo ]")
e(f"%ptn = add i32 %pt, {ncta}")
e("br label %ptile")
# consumers
lab("consumer")
e("call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)")
cw = op(f"add i32 {wg}, -1")
cwr = op(f"shl i32 {cw}, 6")
lane = op(f"and i32 {tid}, 31")
warp = op(f"lshr i32 {tid}, 5")
w4 = op(f"and i32 {warp}, 3")
t128 = op(f"and i32 {tid}, 127")
lead = op(f"icmp eq i32 {t128}, 0")
base = op("ptrtoint ptr addrspace(3) @smem to i32")
e("br label %ctile")
lab("ctile")
e(f"%ct = phi i32 [ {cta}, %consumer ], [ %ctn, %ctend ]")
e("%cst0 = phi i32 [ 0, %consumer ], [ %cst1, %ctend ]")
e("%cph0 = phi i32 [ 0, %consumer ], [ %cph1, %ctend ]")
more = op(f"icmp ult i32 %ct, {tiles}")
e(f"br i1 {more}, label %ck0, label %done")
lab("ck0")
cm = op(f"urem i32 %ct, {tm}")
cn = op(f"udiv i32 %ct, {tm}")
e("br label %ck")
lab("ck")
e("%cki = phi i32 [ 0, %ck0 ], [ %cki1, %crel ]")
e("%cst = phi i32 [ %cst0, %ck0 ], [ %cstn, %crel ]")
e("%cph = phi i32 [ %cph0, %ck0 ], [ %cphn, %crel ]")
e("%prev = phi i32 [ -1, %ck0 ], [ %cst, %crel ]")
for i in range(NACC):
    e(f"%acc{i} = phi float [ 0.0, %ck0 ], [ %accn{i}, %crel ]")
so = op("shl i32 %cst, 3")
fb = op(f"getelementptr i8, ptr addrspace(3) {full}, i32 {so}")
e("br label %cwait")
lab("cwait")
w = op(f"call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) {fb}, i32 %cph)")
e(f"br i1 {w}, label %cgo, label %cwait")
lab("cgo")
ao = op(f"mul i32 %cst, {AB}")
a1 = op(f"add i32 {ao}, {base}")
a2 = op(f"shl i32 {cwr}, 7")
a3 = op(f"add i32 {a1}, {a2}")
bo = op(f"mul i32 %cst, {BB}")
b1 = op(f"add i32 {bo}, {base}")
b3 = op(f"add i32 {b1}, {ST * AB}")


def desc(a):
    s = op(f"lshr i32 {a}, 4")
    s = op(f"and i32 {s}, 16383")
    z = op(f"zext i32 {s} to i64")
    # LBO 1, SBO 1024/16=64, swizzle 128B = 1<<62
    return op(f"or i64 {z}, {(1 << 62) | (64 << 32) | (1 << 16)}")


da = desc(a3)
db = desc(b3)
kpos = op("icmp ne i32 %cki, 0")
sd0 = op(f"zext i1 {kpos} to i32")
e("call void @llvm.nvvm.wgmma.fence.sync.aligned()")
cur = [f"%acc{i}" for i in range(NACC)]
st = "{ " + ", ".join(["float"] * NACC) + " }"
for kk in range(BK // 16):
    dak = op(f"add i64 {da}, {2 * kk}") if kk else da
    dbk = op(f"add i64 {db}, {2 * kk}") if kk else db
    regs = ",".join(f"${i}" for i in range(NACC))
    asm = (
        "{ .reg .pred p; setp.ne.b32 p, $"
        + str(NACC + 2)
        + f", 0; wgmma.mma_async.sync.aligned.m64n{BN}k16.f32.bf16.bf16 {{{regs}}}, ${NACC}, ${NACC + 1}, p, 1, 1, 0, 0; }}"
    )
    asm = asm.replace("{ .reg", "{{ .reg") if False else asm
    cons = ",".join(["=f"] * NACC) + ",l,l,r," + ",".join(str(i) for i in range(NACC))
    sd = sd0 if kk == 0 else "1"
    r = op(
        f'call {st} asm sideeffect "{asm}", "{cons}"(i64 {dak}, i64 {dbk}, i32 {sd}, '
        + ", ".join(f"float {c}" for c in cur)
        + ")"
    )
    cur = [op(f"extractvalue {st} {r}, {i}") for i in range(NACC)]
e("call void @llvm.nvvm.wgmma.commit_group.sync.aligned()")
# wait for the group before, with the registers threaded through
MODE = sys.argv[1] if len(sys.argv) > 1 else "wait0"
if MODE == "wait0":
    e("call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)")
    for i in range(NACC):
        e(
            f"%accn{i} = fadd float {cur[i]}, -0.0"
            if False
            else f'%accn{i} = call float asm sideeffect "", "=f,0"(float {cur[i]})'
            if False
            else f"%accn{i} = bitcast float {cur[i]} to float"
        )
    e(f"%rel = bitcast i32 %cst to i32")
    okrel = "true"
    relc = op(f"and i1 {lead}, true")
else:
    asm = "wgmma.wait_group.sync.aligned 1;"
    cons = ",".join(["=f"] * NACC) + "," + ",".join(str(i) for i in range(NACC))
    r = op(f'call {st} asm sideeffect "{asm}", "{cons}"(' + ", ".join(f"float {c}" for c in cur) + ")")
    for i in range(NACC):
        e(f"%accn{i} = extractvalue {st} {r}, {i}")
    e("%rel = bitcast i32 %prev to i32")
    hp = op("icmp sge i32 %prev, 0")
    relc = op(f"and i1 {lead}, {hp}")
e(f"br i1 {relc}, label %cdo, label %crel")
lab("cdo")
ro = op("shl i32 %rel, 3")
eb = op(f"getelementptr i8, ptr addrspace(3) {empty}, i32 {ro}")
op(f"call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) {eb})")
e("br label %crel")
lab("crel")
s1 = op("add i32 %cst, 1")
wr = op(f"icmp eq i32 {s1}, {ST}")
e(f"%cstn = select i1 {wr}, i32 0, i32 {s1}")
x = op(f"zext i1 {wr} to i32")
e(f"%cphn = xor i32 %cph, {x}")
e("%cki1 = add i32 %cki, 1")
d = op(f"icmp ult i32 %cki1, {ks}")
e(f"br i1 {d}, label %ck, label %cend")
lab("cend")
e("%cst1 = phi i32 [ %cstn, %crel ]")
e("%cph1 = phi i32 [ %cphn, %crel ]")
fin = [f"%accn{i}" for i in range(NACC)]
if MODE != "wait0":
    r = op(
        f'call {st} asm sideeffect "wgmma.wait_group.sync.aligned 0;", "{cons}"('
        + ", ".join(f"float {c}" for c in fin)
        + ")"
    )
    fin = [op(f"extractvalue {st} {r}, {i}") for i in range(NACC)]
    e(f"br i1 {lead}, label %clast, label %cepi")
    lab("clast")
    ro = op("shl i32 %cst, 3")
    eb = op(f"getelementptr i8, ptr addrspace(3) {empty}, i32 {ro}")
    op(f"call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) {eb})")
    e("br label %cepi")
    lab("cepi")
r0 = op(f"shl i32 {cm}, 7")
r1 = op(f"add i32 {r0}, {cwr}")
r2 = op(f"shl i32 {w4}, 4")
r3 = op(f"add i32 {r1}, {r2}")
l4 = op(f"lshr i32 {lane}, 2")
rr = op(f"add i32 {r3}, {l4}")
c0 = op(f"shl i32 {cn}, 8")
l3 = op(f"and i32 {lane}, 3")
l32 = op(f"shl i32 {l3}, 1")
cc = op(f"add i32 {c0}, {l32}")
rl = op(f"zext i32 {rr} to i64")
nl = op("zext i32 %n to i64")
cl = op(f"zext i32 {cc} to i64")
off = op(f"mul i64 {rl}, {nl}")
off = op(f"add i64 {off}, {cl}")
p0 = op(f"getelementptr bfloat, ptr addrspace(1) %c, i64 {off}")
n8 = op(f"shl i64 {nl}, 3")
p8 = op(f"getelementptr bfloat, ptr addrspace(1) {p0}, i64 {n8}")
for j in range(BN // 8):
    for h, p in ((0, p0), (1, p8)):
        v = op(f"insertelement <2 x float> poison, float {fin[4 * j + 2 * h]}, i32 0")
        v = op(f"insertelement <2 x float> {v}, float {fin[4 * j + 2 * h + 1]}, i32 1")
        b = op(f"fptrunc <2 x float> {v} to <2 x bfloat>")
        q = op(f"getelementptr bfloat, ptr addrspace(1) {p}, i64 {8 * j}")
        e(f"store <2 x bfloat> {b}, ptr addrspace(1) {q}, align 4")
e("br label %ctend")
lab("ctend")
e(f"%ctn = add i32 %ct, {ncta}")
e("br label %ctile")
lab("done")
e("ret void")
o.append("}")
o.append(
    'attributes #0 = { "nvvm.maxntid"="384" "nvvm.minctasm"="1" "nvvm.cluster_dim"="1,1,1" }'
    if False
    else 'attributes #0 = { "nvvm.maxntid"="384" "nvvm.minctasm"="1" }'
)
print("\n".join(o))
