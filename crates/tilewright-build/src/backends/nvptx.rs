//! `nvptx`: kernels of NVIDIA's GPUs as PTX, through LLVM. A function becomes its device functions and a plan for the
//! host that launches them.

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::PrimFunc;
use tilewright_llvm::{DeviceSource, OptLevel, Options};
use tilewright_support::Diagnostics;
use tilewright_target::Target;
use tilewright_tensor::DeviceKind;
use tilewright_tir_passes::lower_for_device;
use tilewright_vm_program::{Export, Image, LaunchPlan};

use super::llvm_cpu::reported;
use super::{Backend, CodeError, KernelCode, Linked, Source};
use crate::launch::launch_plan;
use crate::link::LinkError;

pub const NVPTX: Nvptx = Nvptx { options: Options { level: OptLevel::Full } };

/// LLVM for NVIDIA's GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Nvptx {
    pub options: Options,
}

impl Backend for Nvptx {
    fn name(&self) -> &'static str {
        "nvptx"
    }

    fn serves(&self, target: &Target) -> bool {
        target.device_kind() == DeviceKind::Cuda
    }

    fn version(&self) -> String {
        let sources = env!("TILEWRIGHT_CODEGEN_SOURCES");
        format!("LLVM {} {sources} {:?}", tilewright_llvm::version(), self.options)
    }

    fn code_target(&self, target: &Target) -> Target {
        target.of_code()
    }

    fn lower(&self, target: &Target, name: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics> {
        lower_for_device(target, name, function)
    }

    fn write(&self, target: &Target, kernel: &LowTir) -> Result<Box<dyn Source>, CodeError> {
        let name = kernel.symbol();
        let unsupported = |message: String| CodeError::Unsupported {
            symbol: Some(name.to_owned()),
            message: format!("cannot compile `{name}`: {message}"),
        };
        let (mut plan, kernels) = launch_plan(kernel, target).map_err(unsupported)?;
        let source = DeviceSource::new(name, &kernels, target).map_err(|error| reported(&error))?;
        plan.share(&source.shared_bytes).map_err(unsupported)?;
        let plan = plan.finish();
        plan.verify(tensors(kernel), kernel.function().params.len() - tensors(kernel)).map_err(CodeError::Defect)?;
        // The plan is a part of what equal code means.
        let text = format!("; {}\n{}", hex(&plan.encode()), source.text);
        Ok(Box::new(Text { text, source, plan, options: self.options }))
    }

    fn link(&self, kernels: &[KernelCode<'_>]) -> Result<Linked, LinkError> {
        let mut image = Image { kind: DeviceKind::Cuda, ..Image::default() };
        for kernel in kernels {
            let (plan, code) =
                parts(kernel.code).ok_or_else(|| LinkError("a kernel without a launch plan".to_owned()))?;
            let offset = u32::try_from(image.text.len()).map_err(|_| LinkError("more than 4 GB of PTX".to_owned()))?;
            image.text.extend_from_slice(code);
            for name in kernel.names {
                image.exports.push(Export { name: name.clone(), offset });
                image.plans.push(plan.clone());
            }
        }
        Ok(Linked::Launched(image))
    }
}

fn tensors(kernel: &LowTir) -> usize {
    kernel.function().params.iter().filter(|param| param.buffer.is_some()).count()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Kernels as LLVM's text, and the plan for them.
struct Text {
    text: String,
    source: DeviceSource,
    plan: LaunchPlan,
    options: Options,
}

impl Source for Text {
    fn text(&self) -> &str {
        &self.text
    }

    fn scratch_bytes(&self) -> u64 {
        0
    }

    /// The bytes of the plan after their number, as a little-endian `u64`, then PTX that ends in a zero byte.
    fn compile(&self, target: &Target) -> Result<Vec<u8>, CodeError> {
        let ptx = self.source.clone().compile(target, &self.options).map_err(|error| reported(&error))?;
        let plan = self.plan.encode();
        let mut code = (plan.len() as u64).to_le_bytes().to_vec();
        code.extend(plan);
        code.extend(ptx.into_bytes());
        code.push(0);
        Ok(code)
    }
}

/// The plan and the PTX of a kernel's code.
fn parts(code: &[u8]) -> Option<(LaunchPlan, &[u8])> {
    let (length, rest) = code.split_first_chunk()?;
    let (plan, ptx) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((LaunchPlan::decode(plan).ok()?, ptx))
}
