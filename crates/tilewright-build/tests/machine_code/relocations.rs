//! Every relocation that the linker knows, in objects of LLVM's assembler: linked, mapped, and called.
//!
//! Each kernel writes one number that is right only if its relocation was resolved. What is x86-64's runs where the
//! tests run on such a processor, what is AArch64's under the emulator. Without `llvm-mc`, which comes with LLVM's
//! development files, the tests say so and end.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tilewright_build::link::link;
use tilewright_runtime::{Executable, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{
    Access, DeviceIndex, FunctionBuilder, Image, Kernel, Kind, Package, ProgramBuilder, Reg, TargetInfo,
};

use crate::aarch64;

const X86: &str = "x86_64-linux-gnu";
const ARM: &str = "aarch64-linux-gnu";

/// LLVM's assembler, of the LLVM that this was built with.
fn assembler() -> PathBuf {
    PathBuf::from(std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into())).join("bin/llvm-mc")
}

/// Whether there is an assembler; says on standard error if not.
fn can_assemble(test: &str) -> bool {
    let found = assembler().exists();
    if !found {
        let _ = writeln!(std::io::stderr(), "SKIPPED [1] {test}: no llvm-mc at {}", assembler().display());
    }
    found
}

fn assemble(triple: &str, text: &str) -> Vec<u8> {
    let mut child = Command::new(assembler())
        .args(["-filetype=obj", "-triple", triple, "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{text}");
    output.stdout
}

/// Kinds of relocation by name, as the object has them.
fn kinds(object: &[u8]) -> Vec<String> {
    use object::read::elf::ElfFile64;
    use object::{Endianness, Object, ObjectSection, RelocationFlags, elf};
    let file = ElfFile64::<Endianness>::parse(object).unwrap();
    let names = elf::machine_names(file.elf_header().e_machine.get(file.endian()));
    let sections: Vec<_> = file.sections().collect();
    let relocations = sections.iter().flat_map(|section| section.relocations());
    relocations
        .map(|(_, relocation)| match relocation.flags() {
            RelocationFlags::Elf { r_type } => names.r.name(r_type).unwrap_or("?").to_owned(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Runs all kernels of an image of this machine's processor; each writes an `int64`.
fn run_here(image: &Image) -> Vec<(String, i64)> {
    let mut program = ProgramBuilder::default();
    let exports = image.exports.clone();
    let index = program.image(image.clone());
    for (export, entry) in exports.iter().enumerate() {
        let kernel = program.kernel(Kernel {
            image: index,
            export: export as u32,
            tensors: vec![Access::Write],
            scalars: vec![],
            scratch_bytes: 0,
            device: DeviceIndex::FIRST,
            packed: vec![],
        });
        let mut function = FunctionBuilder::new(&entry.name);
        let result = function.param("result", Kind::static_tensor(DataType::I64, &[1]));
        assert_eq!(result, Reg(0));
        function.call_kernel(kernel, &[result], &[]);
        function.ret_none();
        program.function(function);
    }
    let info = TargetInfo { triple: X86.into(), features: vec![] };
    let bytes = Package::new(info, program.finish().unwrap()).encode().unwrap();
    let machine = VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap();
    let names = exports.into_iter().map(|export| export.name);
    names
        .map(|name| {
            let result = Tensor::zeros(DataType::I64, &[1]).unwrap();
            machine.function(&name).unwrap().call(&[result.clone().into()]).unwrap();
            (name, result.to_vec::<i64>().unwrap()[0])
        })
        .collect()
}

/// Runs all kernels of an AArch64 image; each writes an `int64`.
fn run_emulated(image: &Image) -> Vec<(String, i64)> {
    let kernel = |name: &String| tilewright_llvm::Kernel {
        symbol: name.clone(),
        writes: vec![true],
        scalars: vec![],
        scratch_bytes: 0,
    };
    let names: Vec<String> = image.exports.iter().map(|export| export.name.clone()).collect();
    let emulated = aarch64::Emulated::over_image(image, names.iter().map(kernel).collect(), "");
    let run = |name: String| {
        let result = Tensor::zeros(DataType::I64, &[1]).unwrap();
        emulated.run(&name, &[result.clone().into()]).unwrap();
        (name, result.to_vec::<i64>().unwrap()[0])
    };
    names.into_iter().map(run).collect()
}

/// Objects whose kernels write 42 each, and the kinds of relocation that they hold among others.
struct Case {
    objects: &'static [&'static str],
    kinds: &'static [&'static str],
}

/// The kernels of each case: `rsi` (x86-64) or `x1` (AArch64) is the list of arguments.
fn check(triple: &str, cases: &[Case], run: impl Fn(&Image) -> Vec<(String, i64)>) {
    for case in cases {
        let objects: Vec<Vec<u8>> = case.objects.iter().map(|text| assemble(triple, text)).collect();
        let found: Vec<String> = objects.iter().flat_map(|object| kinds(object)).collect();
        for kind in case.kinds {
            assert!(found.iter().any(|name| name == kind), "no {kind} among {found:?}");
        }
        let objects: Vec<&[u8]> = objects.iter().map(Vec::as_slice).collect();
        let image = link(&objects).unwrap_or_else(|error| panic!("{:?}: {error}", case.kinds));
        let results = run(&image);
        assert!(!results.is_empty());
        for (name, result) in results {
            assert_eq!(result, 42, "{name} of {:?}", case.kinds);
        }
    }
}

const X86_CASES: &[Case] = &[
    Case {
        objects: &["
            .globl near; .type near,@function; .text
        near: movq (%rsi), %rax; movq answer(%rip), %rcx; movq %rcx, (%rax); xorl %eax, %eax; ret
            .section .rodata.cst8,\"aM\",@progbits,8; .p2align 3; .quad 7
        answer: .quad 42
        "],
        kinds: &["R_X86_64_PC32"],
    },
    Case {
        objects: &[
            "
            .globl other; .type other,@function; .text
        other: pushq (%rsi); call forty@PLT; addq answer@GOTPCREL(%rip), %rcx; movq (%rcx), %rcx; addq %rcx, %rax
            popq %rcx; movq %rax, (%rcx); xorl %eax, %eax; ret
        ",
            "
            .globl forty; .hidden forty; .globl answer; .text
        forty: movl $40, %eax; xorl %ecx, %ecx; ret
            .section .rodata,\"a\",@progbits; .quad 1, 3
        answer: .quad 2
        ",
        ],
        kinds: &["R_X86_64_PLT32", "R_X86_64_REX_GOTPCRELX"],
    },
    // A table of distances, as of a `switch`, and one of addresses, with one outside of the image.
    Case {
        objects: &["
            .globl by_distance; .globl by_address; .globl by_word; .type by_distance,@function
            .type by_address,@function; .type by_word,@function; .text
        by_distance: leaq distances(%rip), %rcx; movslq 4(%rcx), %rax; addq %rcx, %rax; jmp *%rax
        wrong: movl $13, %ecx; jmp done
        right: movl $42, %ecx
        done: movq (%rsi), %rax; movq %rcx, (%rax); xorl %eax, %eax; ret
        by_address: leaq addresses(%rip), %rcx; jmp *8(%rcx)
        by_word: leaq addresses(%rip), %rcx; movq 16(%rcx), %rcx; movq (%rcx), %rcx; jmp done
            .section .rodata,\"a\",@progbits; .p2align 2
        distances: .long wrong-distances; .long right-distances
            .p2align 3
        far: .quad right-far
            .section .data.rel.ro,\"aw\",@progbits; .p2align 3
        addresses: .quad wrong; .quad right; .quad number+8; .quad memcpy
            .section .rodata.number,\"a\",@progbits
        number: .quad 13, 42
        "],
        kinds: &["R_X86_64_PC32", "R_X86_64_64", "R_X86_64_PC64"],
    },
    // A call outside: through the jump, through the slot, and by the address that a word of data holds.
    Case {
        objects: &["
            .globl by_jump; .globl by_slot; .globl by_data; .type by_jump,@function; .type by_slot,@function
            .type by_data,@function; .text
        by_jump: subq $8, %rsp; leaq number(%rip), %rax; movq (%rsi), %rdi; movq %rax, %rsi; movl $8, %edx
            call memcpy@PLT; xorl %eax, %eax; addq $8, %rsp; ret
        by_slot: subq $8, %rsp; leaq number(%rip), %rax; movq (%rsi), %rdi; movq %rax, %rsi; movl $8, %edx
            call *memcpy@GOTPCREL(%rip); xorl %eax, %eax; addq $8, %rsp; ret
        by_data: subq $8, %rsp; leaq number(%rip), %rax; movq (%rsi), %rdi; movq %rax, %rsi; movl $8, %edx
            call *function(%rip); xorl %eax, %eax; addq $8, %rsp; ret
            .section .rodata,\"a\",@progbits
        number: .quad 42
            .section .data.rel.ro.local,\"aw\",@progbits
        function: .quad memcpy
        "],
        kinds: &["R_X86_64_PLT32", "R_X86_64_GOTPCRELX", "R_X86_64_64"],
    },
];

const ARM_CASES: &[Case] = &[
    // Every width of access to constants, with and without a scaled offset.
    Case {
        objects: &["
            .globl widths; .type widths,%function; .text
        widths: adrp x8, bytes; add x8, x8, :lo12:bytes; ldrb w9, [x8]
            adrp x10, bytes+1; ldrb w10, [x10, :lo12:bytes+1]; add x9, x9, x10
            adrp x10, halves+2; ldrh w10, [x10, :lo12:halves+2]; add x9, x9, x10
            adrp x10, words+4; ldr w10, [x10, :lo12:words+4]; add x9, x9, x10
            adrp x10, longs+8; ldr x10, [x10, :lo12:longs+8]; add x9, x9, x10
            adrp x10, quads+16; ldr q0, [x10, :lo12:quads+16]; fmov x10, d0; add x9, x9, x10
            ldr x10, literal; add x9, x9, x10
            adr x10, near; ldr x10, [x10]; add x9, x9, x10
            ldr x10, [x1]; str x9, [x10]; mov w0, #0; ret
            .section .text.near,\"ax\"; .p2align 3
        literal: .quad 2
        near: .quad 3
            .section .rodata,\"a\"; .p2align 4
        quads: .quad 99, 99, 1, 99
        longs: .quad 99, 4
        words: .word 99, 5
        halves: .hword 99, 6
        bytes: .byte 10, 11
        "],
        kinds: &[
            "R_AARCH64_ADR_PREL_PG_HI21",
            "R_AARCH64_ADD_ABS_LO12_NC",
            "R_AARCH64_LDST8_ABS_LO12_NC",
            "R_AARCH64_LDST16_ABS_LO12_NC",
            "R_AARCH64_LDST32_ABS_LO12_NC",
            "R_AARCH64_LDST64_ABS_LO12_NC",
            "R_AARCH64_LDST128_ABS_LO12_NC",
            "R_AARCH64_LD_PREL_LO19",
            "R_AARCH64_ADR_PREL_LO21",
        ],
    },
    // Branches of every reach to another section, and back.
    Case {
        objects: &["
            .globl branches; .type branches,%function; .text
        branches: mov x9, #0; cbz x9, first
        back: b.eq second
        again: tbz x9, #0, third
        end: ldr x10, [x1]; str x9, [x10]; mov w0, #0; ret
            .section .text.cold,\"ax\"
        first: mov x9, #2; cmp x9, x9; b back
        second: add x9, x9, #10; b again
        third: add x9, x9, #30; b end
        "],
        kinds: &["R_AARCH64_CONDBR19", "R_AARCH64_TSTBR14", "R_AARCH64_JUMP26"],
    },
    // Symbols of another object, through the table of addresses and by calls.
    Case {
        objects: &[
            "
            .globl other; .type other,%function; .text
        other: str x30, [sp, #-16]!; bl forty; adrp x10, :got:answer; ldr x10, [x10, :got_lo12:answer]; ldr x10, [x10]
            add x9, x9, x10; ldr x10, [x1]; str x9, [x10]; mov w0, #0; ldr x30, [sp], #16; ret
        ",
            "
            .globl forty; .globl answer; .text
        forty: mov x9, #40; ret
            .section .rodata,\"a\"; .p2align 3; .quad 13
        answer: .quad 2
        ",
        ],
        kinds: &["R_AARCH64_CALL26", "R_AARCH64_ADR_GOT_PAGE", "R_AARCH64_LD64_GOT_LO12_NC"],
    },
    Case {
        objects: &["
            .globl by_distance; .globl by_address; .globl by_word; .type by_distance,%function
            .type by_address,%function; .type by_word,%function; .text
        by_distance: adrp x8, distances; add x8, x8, :lo12:distances; ldrsw x9, [x8, #4]; ldr x10, [x8, #8]
            add x11, x8, #8; add x11, x11, x10; add x9, x8, x9; cmp x9, x11; b.ne wrong; br x9
        wrong: mov x9, #13; b done
        right: mov x9, #42
        done: ldr x10, [x1]; str x9, [x10]; mov w0, #0; ret
        by_address: adrp x8, addresses; add x8, x8, :lo12:addresses; ldr x9, [x8, #8]; br x9
        by_word: adrp x8, addresses; add x8, x8, :lo12:addresses; ldr x9, [x8, #16]; ldr x9, [x9]; b done
            .section .rodata,\"a\"; .p2align 3
        distances: .word wrong-distances; .word right-distances
        far: .xword right-far
            .section .data.rel.ro,\"aw\"; .p2align 3
        addresses: .xword wrong; .xword right; .xword number+8; .xword memcpy
            .section .rodata.number,\"a\"
        number: .xword 13, 42
        "],
        kinds: &["R_AARCH64_PREL32", "R_AARCH64_PREL64", "R_AARCH64_ABS64"],
    },
    Case {
        objects: &["
            .globl by_jump; .globl by_slot; .globl by_table; .type by_jump,%function; .type by_slot,%function
            .type by_table,%function; .text
        by_jump: str x30, [sp, #-16]!; ldr x0, [x1]; adrp x1, number; add x1, x1, :lo12:number; mov x2, #8
            bl memcpy; mov w0, #0; ldr x30, [sp], #16; ret
        by_slot: str x30, [sp, #-16]!; ldr x0, [x1]; adrp x1, number; add x1, x1, :lo12:number; mov x2, #8
            adrp x8, :got:memcpy; ldr x8, [x8, :got_lo12:memcpy]; blr x8; mov w0, #0; ldr x30, [sp], #16; ret
        by_table: str x30, [sp, #-16]!; ldr x0, [x1]; adrp x1, number; add x1, x1, :lo12:number; mov x2, #8
            adrp x8, table; add x8, x8, :lo12:table; ldrsw x9, [x8]; add x8, x8, x9; blr x8
            mov w0, #0; ldr x30, [sp], #16; ret
            .section .rodata,\"a\"; .p2align 3
        number: .xword 42
        table: .word memcpy@PLT - .
        "],
        kinds: &["R_AARCH64_CALL26", "R_AARCH64_ADR_GOT_PAGE", "R_AARCH64_PLT32"],
    },
];

#[test]
#[cfg(target_arch = "x86_64")]
fn x86_64() {
    if can_assemble("relocations::x86_64") {
        check(X86, X86_CASES, run_here);
    }
}

#[test]
fn aarch64_code() {
    if can_assemble("relocations::aarch64_code") && aarch64::available("relocations::aarch64_code") {
        check(ARM, ARM_CASES, run_emulated);
    }
}

/// Two objects with more code between caller and callee than a call reaches: 128 MiB.
#[test]
fn calls_reach_over_much_code() {
    if !can_assemble("relocations::calls_reach_over_much_code")
        || !aarch64::available("relocations::calls_reach_over_much_code")
    {
        return;
    }
    let caller = assemble(
        ARM,
        "
            .globl caller; .type caller,%function; .text
        caller: str x30, [sp, #-16]!; str x1, [sp, #8]; bl far; ldr x1, [sp, #8]; ldr x10, [x1]; str x9, [x10]
            mov w0, #0; ldr x30, [sp], #16; ret
        ",
    );
    let callee = assemble(
        ARM,
        "
            .text; .zero 140000000; .globl far
        far: mov x9, #42; ret
        ",
    );
    let image = link(&[&caller, &callee]).unwrap();
    assert_eq!(run_emulated(&image), [("caller".to_owned(), 42)]);
    // In one object there is nowhere for a longer jump to stand.
    let both = assemble(
        ARM,
        "
            .globl near; .text
        near: b far
            .section .text.space,\"ax\"; .zero 140000000
            .section .text.far,\"ax\"
        far: ret
        ",
    );
    let error = link(&[&both]).unwrap_err().to_string();
    assert!(error.contains("R_AARCH64_JUMP26") && error.contains("out of reach"), "{error}");
}

#[test]
fn references_that_are_not_position_independent_are_refused_by_name() {
    if !can_assemble("relocations::what_cannot_be_placed_anywhere_is_refused_by_name") {
        return;
    }
    let cases = [
        (X86, "movl $here, %eax\nhere: ret", "R_X86_64_32"),
        (X86, "movabsq $here, %rax\nhere: ret", "R_X86_64_64"),
        (X86, "movq x@TPOFF, %rax; .section .tdata,\"awT\"; x: .quad 0", ".tdata"),
        (X86, "nop; .data; .quad 1", ".data"),
        (X86, "nop; .bss; .zero 8", ".bss"),
        (X86, "movq x@GOTPCREL(%rip), %rax", "`x`"),
        (X86, ".weak w; call w@PLT", "`w`"),
        (X86, "nop; .comm shared, 8; leaq shared(%rip), %rax", "shared"),
        (ARM, "movz x0, #:abs_g0:here\nhere: ret", "R_AARCH64_MOVW_UABS_G0"),
        (ARM, "adrp x0, :gottprel:memset", "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21"),
        (ARM, "adrp x0, w; ldr x0, [x0, :lo12:w]; .section .rodata,\"a\"; .byte 1\nw: .quad 1", "aligned"),
        (ARM, "bl outside", "`outside`"),
    ];
    for (triple, text, what) in cases {
        let error = link(&[&assemble(triple, &format!(".text\n{text}\n"))]).unwrap_err().to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
}

#[test]
fn unwind_tables_and_notes_are_left_out() {
    if !can_assemble("relocations::unwind_tables_and_notes_are_left_out") {
        return;
    }
    for (triple, code) in [(X86, "xorl %eax, %eax; ret"), (ARM, "mov w0, #0; ret")] {
        let text = format!(".globl f; .text\nf: .cfi_startproc\n{code}\n.cfi_endproc\n.section .note.GNU-stack,\"\"\n");
        let image = link(&[&assemble(triple, &text)]).unwrap();
        assert!(image.data.is_empty() && image.relocations.is_empty() && image.text.len() < 16, "{image:?}");
    }
}
