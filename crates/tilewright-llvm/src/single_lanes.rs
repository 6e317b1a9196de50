//! Scalar stores in the place of masked stores whose constant mask has a single active lane.
//!
//! A workaround for LLVM 22: it turns a masked store with one active lane into a scalar store, but forgets a truncation
//! that it has folded into the masked store. A lane of 16 bits, truncated from 32, is then stored with all 32 bits,
//! beyond the program's memory. It does the same for parts of a vector, which it halves until they fit registers. So
//! after LLVM's constant folding, a lane that is the only active one of such a part gets a scalar store.

use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, VectorType};
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, Operand, PointerValue, VectorValue};

use crate::CodegenError;

/// Lanes of the smallest part that LLVM splits a vector into.
const MIN_PART_LANES: usize = 4;

/// Gives integer lanes that are the only active ones of a masked store a scalar store.
pub(crate) fn store_single_lanes(context: &Context, module: &Module<'_>) -> Result<(), CodegenError> {
    let builder = context.create_builder();
    for block in module.get_functions().flat_map(|function| function.get_basic_block_iter().collect::<Vec<_>>()) {
        let mut next = block.get_first_instruction();
        while let Some(instruction) = next {
            next = instruction.get_next_instruction();
            if let Some(store) = Masked::of(instruction) {
                store.rewrite(context, &builder)?;
            }
        }
    }
    Ok(())
}

/// A masked store of integers with a constant mask.
struct Masked<'ctx> {
    call: InstructionValue<'ctx>,
    value: VectorValue<'ctx>,
    address: PointerValue<'ctx>,
    lanes: Vec<bool>,
}

impl<'ctx> Masked<'ctx> {
    fn of(call: InstructionValue<'ctx>) -> Option<Self> {
        let operand = |number: u32| match call.get_operand(number) {
            Some(Operand::Value(value)) => Some(value),
            _ => None,
        };
        if call.get_opcode() != InstructionOpcode::Call {
            return None;
        }
        let Some(BasicValueEnum::PointerValue(callee)) = operand(call.get_num_operands().checked_sub(1)?) else {
            return None;
        };
        if !callee.get_name().to_bytes().starts_with(b"llvm.masked.store.") {
            return None;
        }
        let (value, address, mask) = (operand(0)?, operand(1)?, operand(2)?);
        let (BasicValueEnum::VectorValue(value), BasicValueEnum::PointerValue(address)) = (value, address) else {
            return None;
        };
        let BasicValueEnum::VectorValue(mask) = mask else { return None };
        let is_int = matches!(value.get_type().get_element_type(), BasicTypeEnum::IntType(_));
        let lanes = if is_int { constant_lanes(mask)? } else { return None };
        Some(Self { call, value, address, lanes })
    }

    fn rewrite(&self, context: &'ctx Context, builder: &Builder<'ctx>) -> Result<(), CodegenError> {
        let (left, single) = apart(&self.lanes);
        if single.is_empty() {
            return Ok(());
        }
        builder.position_before(&self.call);
        for lane in single {
            let number = context.i64_type().const_int(lane as u64, false);
            let element = builder.build_extract_element(self.value, number, "lane").map_err(refused)?;
            // SAFETY: the masked store writes this lane's element, `number` elements after the first one.
            let address = unsafe { builder.build_gep(element.get_type(), self.address, &[number], "address") };
            let store = builder.build_store(address.map_err(refused)?, element).map_err(refused)?;
            store.set_alignment(1).map_err(refused)?;
        }
        if left.contains(&true) {
            let bools: Vec<_> = left.iter().map(|&set| context.bool_type().const_int(set.into(), false)).collect();
            self.call.set_operand(2, VectorType::const_vector(&bools));
        } else {
            self.call.erase_from_basic_block();
        }
        Ok(())
    }
}

fn refused(error: impl ToString) -> CodegenError {
    CodegenError::Llvm(error.to_string())
}

/// The lanes of a mask; `None` for each that is not constant.
fn constant_lanes(mask: VectorValue<'_>) -> Option<Vec<bool>> {
    if !mask.is_const() {
        return None;
    }
    let context = mask.get_type().get_context();
    let lane = |number: u32| match mask.const_extract_element(context.i32_type().const_int(number.into(), false)) {
        BasicValueEnum::IntValue(set) => set.get_zero_extended_constant().map(|set| set != 0),
        _ => None,
    };
    (0..mask.get_type().get_size()).map(lane).collect()
}

/// Splits off the lanes that are alone in a half, a quarter and so on.
fn apart(lanes: &[bool]) -> (Vec<bool>, Vec<usize>) {
    let (mut left, mut single) = (lanes.to_vec(), Vec::new());
    let mut part = MIN_PART_LANES.min(left.len()).max(1);
    while part <= left.len() {
        for first in (0..left.len()).step_by(part) {
            let set: Vec<usize> = (first..left.len().min(first + part)).filter(|&lane| left[lane]).collect();
            if let [lane] = set.as_slice() {
                left[*lane] = false;
                single.push(*lane);
            }
        }
        part *= 2;
    }
    (left, single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_has_a_single_lane() {
        let first = |count: usize| (0..16).map(|lane| lane < count).collect::<Vec<_>>();
        let single = |lanes: &[bool]| apart(lanes).1;
        assert_eq!(
            [1, 2, 4, 9, 11, 16].map(|count| single(&first(count))),
            [vec![0], vec![], vec![], vec![8], vec![], vec![]]
        );
        assert_eq!(single(&[false, true]), [1]);
        assert_eq!(single(&[true; 2]), [0_usize; 0]);
        assert_eq!(apart(&first(1)).0, [false; 16]);
        let scattered: Vec<bool> = (0..16).map(|lane| lane % 4 == 1).collect();
        assert_eq!(single(&scattered), [1, 5, 9, 13]);
    }
}
