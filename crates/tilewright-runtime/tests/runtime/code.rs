//! Tiny kernels as machine code, and machines made from them.

use std::sync::Arc;

use tilewright_runtime::{Executable, Function, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

/// `args[2][i] = args[0][i] + args[1][i]` for `i < dims[0]`, f32.
const ADD: &str = "48833a007e29b800000000488b4e104c8b06488b7e08f3410f100480f30f\
                   580487f30f1104814883c0014839027fdcb800000000c3";
/// `args[0][i] = dims[i]` for `i < 5`, i64.
const SCALARS: &str = "b800000000488b3c02488b0e48893c014883c0084883f82875ebb800000000c3";
/// `memset(args[0], 0, dims[0])` through a stub that jumps to the address in the first slot.
const ZERO: &str = "488b3e488b1231f64883ec08e8070000004883c40831c0c3ff25";
/// A parallel region of `dims[0]` tasks. Task `t` writes `t` to its scratch memory, reads it back 1000 times, and
/// stores the sum to `args[0][t]`, i64.
const PARALLEL: &str = "488b47104889104c8b4710b8e8030000b900000000498b384801f94883e8\
                        0175f448890cd6b800000000c34883ec08488b0a488b16488d35c4ffffff\
                        ff174883c408c3";
/// A parallel region of `dims[0]` tasks, of which those from `dims[1]` on fail with their last digit as message.
const PARALLEL_FAIL: &str = "b8000000004839167f4d4883ec184889d148ba67666666666666664889c8\
                             48f7ea48c1fa024889c848c1f83f4829c2488d04924801c04829c183c130\
                             884c240f488d54240fb901000000be01000000ff57084883c418c3c34883\
                             ec18488b42084889442408488b0a488d542408488d358cffffffff174883\
                             c418c3";
/// A region of `dims[0]` tasks, each of which is a region of 8 that store 1 to 8 to `args[0][8 * t..]`, i64.
const NESTED: &str = "488d4201488904d6b800000000c34883ec0848c1e2064801f2b908000000\
                      488d35dbffffffff174883c408c34883ec08488b0a488b16488d35d1ffff\
                      ffff174883c408c3";
/// `return dims[0]`.
const STATUS: &str = "8b02c3";
/// `dims[0]` regions, one after the other, of `dims[1]` tasks that do nothing.
const REGIONS: &str = "31c0c341554c8d2df4ffffff41544531e4554889fd534889d3514c39237e1831d2488b4b084c89ee\
    4889efff550085c0750749ffc4ebe331c05a5b5d415c415dc3";
/// `dims[0]` regions of `dims[1]` tasks that wait for each other, and give up with status 9 if they do not meet.
const MEETINGS: &str = "f048ff06b800943577488b164839ca740affc875f4b809000000c331c0c341554c8d2dd9ffffff41\
    544531e4554889fd534889d34883ec184c39237e2231c0488b4b08488d5424084c89ee4889442408\
    4889efff550085c0750749ffc4ebd931c04883c4185b5d415c415dc3";
/// A parallel region of `dims[0]` tasks. Task `t` counts to `8192 * t`, then stores `1000 * t` to `args[0][t]`, i64.
const UNEVEN: &str = "4889d131c048c1e10d4839c17e0548ffc0ebf64869c2e8030000488904d631c0c3488b0a488b0748\
    8b16488d35cfffffffffe0";
/// Calls the packed function whose name is the `dims[0]` bytes of `args[0]`, with the `dims[1]` arguments in `args[1]`
/// and the result in `args[2]`.
const PACKED: &str = "488b4e084c8b4e104c8b4208488b4730488b12488b36ffe0";
/// A parallel region of `dims[0]` tasks, which call the packed function whose name is `args[0]`, of `dims[0]` bytes.
const PACKED_IN_REGION: &str = "4889ca488b47304531c94531c031c9ffe0488b0a488b07488b16488d35dfffffffffe0";
/// A parallel region of `dims[0]` tasks. Task `t` allocates `t % 5 + 1` pieces of `64 * t + dims[1]` bytes, writes `t +
/// i` to both ends of piece `i`, and stores the sum of all that to `args[0][t]`, i64. Odd tasks free their pieces.
/// Around the region the kernel holds a piece of its own, and returns 9 if that has changed.
const TEMPORARIES: &str = "4889d04157b9050000004989f741564531f6415541544989fc554889d5489948f7f9534883ec5848\
    8b46084989ed49c1e506488b48084c01e948894c2408488d5a014939de7d28488b7424084c89e741\
    ff5424204a8944f4104885c074564a8d54350049ffc64889104a891428ebd331c031d24839d87d14\
    488b7cc41048ffc0488b374a03342f4801f2ebe7498b07488914e84080e501750431c0eb1c4885db\
    7ef7488b74dc084c89e748ffcb41ff542428ebe9b8050000004883c4585b5d415c415d415e415fc3\
    41554989d54154534889fb4883ec20488b06be0800000048895424184889442410ff57204989c4b8\
    050000004d85e4743e49c704244d000000488d542410498b4d004889df488d35ecfeffffff1385c0\
    751d49833c244d8944240cb809000000750d4c89e64889dfff53288b44240c4883c4205b415c415d\
    c3";
/// A parallel region of `dims[0]` tasks, each of which counts to a million, with the estimate `dims[1]`.
const ESTIMATED: &str = "b940420f00ffc975fc31c0c3488b0a4c8b420831d2488d35e4ffffffff6738";

/// The kernels' indices in [`builder`]'s program.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    Add,
    Scalars,
    Zero,
    Parallel,
    ParallelFail,
    Nested,
    Status,
    Regions,
    Meetings,
    Uneven,
    Packed,
    PackedInRegion,
    Temporaries,
    Estimated,
}

fn bytes(hex: &str) -> impl Iterator<Item = u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
}

/// A program with all kernels in one image.
pub(crate) fn builder() -> ProgramBuilder {
    builder_for(DeviceKind::Cpu)
}

/// The same for a device that runs machine code of the processor.
pub(crate) fn builder_for(kind: DeviceKind) -> ProgramBuilder {
    let write = vec![Access::Write];
    let binary = vec![Access::Read, Access::Read, Access::Write];
    let float_types = vec![DataType::I64, DataType::F32, DataType::F64, DataType::BOOL, DataType::F16];
    let (one, two) = (vec![DataType::I64], vec![DataType::I64; 2]);
    let kernels = [
        ("add", ADD, 0, binary.clone(), one.clone(), 0),
        ("scalars", SCALARS, 0, write.clone(), float_types, 0),
        ("zero", ZERO, 0, write.clone(), one.clone(), 0),
        ("parallel", PARALLEL, 0x2b, write.clone(), one.clone(), 64),
        ("parallel_fail", PARALLEL_FAIL, 0x58, vec![], two.clone(), 0),
        ("nested", NESTED, 0x2c, write.clone(), one.clone(), 0),
        ("status", STATUS, 0, vec![], one.clone(), 0),
        ("regions", REGIONS, 0x3, vec![], two.clone(), 0),
        ("meetings", MEETINGS, 0x1e, vec![], two.clone(), 0),
        ("uneven", UNEVEN, 0x21, write.clone(), one.clone(), 0),
        ("packed", PACKED, 0, binary, two.clone(), 0),
        ("packed_in_region", PACKED_IN_REGION, 0x11, vec![Access::Read], one, 0),
        ("temporaries", TEMPORARIES, 0xc8, write, two.clone(), 0),
        ("estimated", ESTIMATED, 0xc, vec![], two, 0),
    ];
    let mut image = Image { kind, externals: vec![0], ..Image::default() };
    for (name, hex, entry, ..) in &kernels {
        image.exports.push(Export { name: (*name).into(), offset: image.text.len() as u32 + *entry });
        image.text.extend(bytes(hex));
        if *name == "zero" {
            // The distance of the slot table from the end of the stub's displacement field.
            let distance = IMAGE_PAGE - (image.text.len() + 4);
            image.text.extend((distance as u32).to_le_bytes());
        }
    }
    let mut program = ProgramBuilder::for_device(kind);
    let image = program.image(image);
    for (export, (_, _, _, tensors, scalars, scratch_bytes)) in kernels.into_iter().enumerate() {
        program.kernel(Kernel {
            image,
            export: export as u32,
            tensors,
            scalars,
            scratch_bytes,
            device: DeviceIndex::FIRST,
            packed: vec![],
        });
    }
    program
}

/// A function that calls one kernel on the caller's own tensors, which the kernel writes in place, and returns `None`.
/// The tensor parameters are the kernel's tensor arguments in order; `scalars` may read parameters (parameter `i` is
/// register `i`) and slots.
pub(crate) fn over_kernel(
    name: &str,
    params: Vec<Param>,
    slots: &[&str],
    kernel: Code,
    scalars: &[Scalar],
) -> FunctionBuilder {
    let mut function = FunctionBuilder::new(name);
    for slot in slots {
        function.slot(slot);
    }
    let mut tensors = Vec::new();
    for param in params {
        let is_tensor = matches!(param.kind, Kind::Tensor { .. });
        let reg = function.param(&param.name, param.kind);
        if is_tensor {
            tensors.push(reg);
        }
    }
    function.call_kernel(kernel as u32, &tensors, scalars);
    function.ret_none();
    function
}

/// `main(tensors.., ints..)` over one kernel, with tensors of any type and shape.
pub(crate) fn plain(kernel: Code, tensors: u32, ints: u32) -> Function {
    let mut program = builder();
    let kind = |i: u32| match i < tensors {
        true => Kind::Tensor { dtype: None, dims: None, device: DeviceIndex::FIRST },
        false => Kind::prim(DataType::I64),
    };
    let params = (0..tensors + ints).map(|i| Param { name: format!("p{i}"), kind: kind(i) }).collect();
    let scalars: Vec<_> = (tensors..tensors + ints).map(|i| Scalar::Reg(Reg(i))).collect();
    program.function(over_kernel("main", params, &[], kernel, &scalars));
    machine(program).function("main").unwrap()
}

/// Machine code for this kind of processor, without further needs.
pub(crate) fn target() -> TargetInfo {
    TargetInfo { triple: format!("{}-unknown-linux-gnu", std::env::consts::ARCH), features: vec![] }
}

pub(crate) fn executable(program: ProgramBuilder) -> Arc<Executable> {
    let bytes = Package::new(target(), program.finish().unwrap()).encode().unwrap();
    Arc::new(Executable::load(bytes).unwrap())
}

pub(crate) fn machine(program: ProgramBuilder) -> VirtualMachine {
    VirtualMachine::new(executable(program), &[]).unwrap()
}

/// A machine without machine code, with one function.
pub(crate) fn portable(main: FunctionBuilder) -> VirtualMachine {
    let mut program = ProgramBuilder::default();
    program.function(main);
    let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
    VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap()
}

pub(crate) fn floats(values: &[f32]) -> Tensor {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap()
}

/// `[n]` floats, where `n` is the slot.
pub(crate) fn row(slot: u32) -> Kind {
    Kind::tensor(DataType::F32, &[DimPattern::Slot(slot)])
}
