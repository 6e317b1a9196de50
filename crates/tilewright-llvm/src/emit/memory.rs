//! Loads and stores: scalar, contiguous, strided, gather and scatter.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind};
use tilewright_tensor::DataType;

use super::binary::int_constant;
use super::expr::no_wrap;
use super::function::{FnCx, Position, Result};
use super::text::{Mangled, Mem, Reg, Value, int};

/// The elements that an access touches.
enum Access {
    /// One element, at this address.
    Scalar(Value),
    /// Elements from this address on, at a stride counted in elements.
    Strided(Value, i64),
    /// An index for each lane.
    Indexed { base: Value, index: Value, index_type: DataType, is_constant: bool },
}

impl FnCx<'_, '_> {
    pub(crate) fn load(&mut self, buffer: &Buffer, indices: &[Expr], predicate: Option<&Expr>) -> Result<Value> {
        let (access, dtype) = self.accessed(buffer, indices, predicate.is_none())?;
        let value = match (&access, predicate, self.piece_lanes(dtype)) {
            (Access::Strided(address, 1), Some(predicate), Some(whole)) if !self.is_in_registers(buffer, indices) => {
                self.check_predicate(predicate, dtype)?;
                self.load_in_pieces(address, predicate, dtype, whole)?
            }
            _ => {
                if let (Access::Strided(address, 1), None) = (&access, predicate) {
                    self.prefetch_stream(buffer, address, dtype);
                }
                let predicate = self.predicate(predicate, dtype)?;
                self.load_at(access, predicate, dtype, self.is_in_registers(buffer, indices))
            }
        };
        if dtype.is_bool() {
            return Ok(self.body.assign(format_args!("icmp ne {} {value}, zeroinitializer", Mem(dtype))));
        }
        Ok(value)
    }

    fn load_at(&mut self, access: Access, predicate: Option<Value>, dtype: DataType, in_registers: bool) -> Value {
        match (access, predicate) {
            (Access::Scalar(address), None) => self.load_vector(&address, dtype),
            (Access::Scalar(address), Some(predicate)) => self.load_if(&predicate, &address, dtype),
            (Access::Strided(address, 1), None) => self.load_vector(&address, dtype),
            (Access::Strided(address, 1), Some(mask)) if in_registers => {
                let value = self.load_vector(&address, dtype);
                let (bools, ty) = (Reg(DataType::BOOL.with_lanes(dtype.lanes)), Mem(dtype));
                self.body.assign(format_args!("select {bools} {mask}, {ty} {value}, {ty} zeroinitializer"))
            }
            (Access::Strided(address, 1), Some(mask)) => self.load_masked(&address, &mask, dtype),
            (Access::Strided(address, -1), None) => {
                let back = -(i64::from(dtype.lanes) - 1);
                let first = self.element(&address, dtype, &Value::constant(back.to_string()), DataType::I64);
                let value = self.load_vector(&first, dtype);
                self.reversed(&value, dtype)
            }
            (Access::Strided(address, 2), None) if dtype.lanes.is_multiple_of(4) && !in_registers => {
                self.load_every_other(&address, dtype)
            }
            // Lanes at constant indices: LLVM combines scalar loads of neighbours itself.
            (access @ Access::Indexed { is_constant: false, .. }, None) if self.gathers(dtype) => {
                let all = int(1, DataType::BOOL.with_lanes(dtype.lanes));
                self.gather(&access, &all, dtype)
            }
            (access, None) => self.load_lanes(&access, dtype),
            (Access::Strided(address, 2), Some(mask)) if self.is_one_register(dtype) && !in_registers => {
                self.load_every_other_masked(&address, &mask, dtype)
            }
            (access, Some(mask)) => self.gather(&access, &mask, dtype),
        }
    }

    /// Whether a gather load of this type is a gather instruction (or several), not scalar loads.
    fn gathers(&self, dtype: DataType) -> bool {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        let target = self.unit.target;
        let enough = bytes as u64 >= target.plan.min_gather_bytes;
        target.has_fast_gathers() && matches!(dtype.bits, 32 | 64) && enough
    }

    /// The elements of the mask's lanes, each from its own address; 0 in the others.
    fn gather(&mut self, access: &Access, mask: &Value, dtype: DataType) -> Value {
        let (addresses, ty) = (self.addresses(access, dtype), Mem(dtype));
        let (lanes, align, name) = (dtype.lanes, dtype.element_bytes(), memory_name(dtype));
        self.body.assign(format_args!(
            "call {ty} @llvm.masked.gather.{name}.v{lanes}p0(<{lanes} x ptr> align {align} {addresses}, \
             <{lanes} x i1> {mask}, {ty} zeroinitializer)"
        ))
    }

    pub(crate) fn store(
        &mut self,
        buffer: &Buffer,
        indices: &[Expr],
        value: &Expr,
        predicate: Option<&Expr>,
    ) -> Result<()> {
        let (access, dtype) = self.accessed(buffer, indices, predicate.is_none())?;
        if value.dtype != dtype {
            let what = format!("a store of {} where buffer `{}` takes {dtype}", value.dtype, buffer.name);
            return Err(self.unit.malformed(what));
        }
        let predicate = self.predicate(predicate, dtype)?;
        let mut value = self.value(value, Position::Value)?;
        if dtype.is_bool() {
            value = self.body.assign(format_args!("zext {} {value} to {}", Reg(dtype), Mem(dtype)));
        }
        match predicate {
            None => match (access, self.streaming(buffer)) {
                (Access::Strided(address, 1), Some(streaming)) => {
                    self.store_streamed(&address, &value, dtype, &streaming)?;
                }
                (access, _) => self.store_at(access, &value, dtype),
            },
            Some(mask) => {
                let in_registers = self.is_in_registers(buffer, indices);
                self.store_where(access, &mask, &value, dtype, in_registers);
            }
        }
        Ok(())
    }

    fn store_at(&mut self, access: Access, value: &Value, dtype: DataType) {
        match access {
            Access::Scalar(address) | Access::Strided(address, 1) => self.store_vector(&address, value, dtype),
            Access::Strided(address, -1) => {
                let back = -(i64::from(dtype.lanes) - 1);
                let first = self.element(&address, dtype, &Value::constant(back.to_string()), DataType::I64);
                let value = self.reversed(value, dtype);
                self.store_vector(&first, &value, dtype);
            }
            access => self.store_lanes(&access, value, dtype),
        }
    }

    fn store_where(&mut self, access: Access, mask: &Value, value: &Value, dtype: DataType, in_registers: bool) {
        match access {
            Access::Scalar(address) => {
                let (yes, done) = (self.body.label(), self.body.label());
                self.body.branch(mask, yes, done);
                self.body.start(yes);
                self.store_vector(&address, value, dtype);
                self.body.jump(done);
                self.body.start(done);
            }
            Access::Strided(address, 1) if in_registers => {
                let old = self.load_vector(&address, dtype);
                let (bools, ty) = (Reg(DataType::BOOL.with_lanes(dtype.lanes)), Mem(dtype));
                let merged = self.body.assign(format_args!("select {bools} {mask}, {ty} {value}, {ty} {old}"));
                self.store_vector(&address, &merged, dtype);
            }
            Access::Strided(address, 1) if self.unit.is_device() => {
                self.store_lane_by_lane(&address, mask, value, dtype);
            }
            Access::Strided(address, 1) => {
                let (ty, name, align, lanes) = (Mem(dtype), memory_name(dtype), dtype.element_bytes(), dtype.lanes);
                self.body.line(format_args!(
                    "call void @llvm.masked.store.{name}.p0({ty} {value}, ptr align {align} {address}, \
                     <{lanes} x i1> {mask})"
                ));
            }
            access => {
                let (addresses, ty) = (self.addresses(&access, dtype), Mem(dtype));
                let (lanes, align, name) = (dtype.lanes, dtype.element_bytes(), memory_name(dtype));
                self.body.line(format_args!(
                    "call void @llvm.masked.scatter.{name}.v{lanes}p0({ty} {value}, \
                     <{lanes} x ptr> align {align} {addresses}, <{lanes} x i1> {mask})"
                ));
            }
        }
    }

    /// Whether all lanes are at a constant index of a local buffer. Such a buffer stays in registers if every access to
    /// it is an unmasked load or store, and the elements of inactive lanes belong to no one else.
    fn is_in_registers(&self, buffer: &Buffer, indices: &[Expr]) -> bool {
        let [index] = indices else { return false };
        let ExprKind::Ramp { base, .. } = &index.kind else { return false };
        let size = buffer.constant_shape().and_then(|shape| shape.first().copied()).unwrap_or(0);
        let fits = |first: i64| first >= 0 && first.saturating_add(i64::from(index.dtype.lanes)) <= size;
        self.is_on_stack(buffer) && base.as_int().is_some_and(fits)
    }

    fn predicate(&mut self, predicate: Option<&Expr>, dtype: DataType) -> Result<Option<Value>> {
        let Some(predicate) = predicate else { return Ok(None) };
        self.check_predicate(predicate, dtype)?;
        self.value(predicate, Position::Value).map(Some)
    }

    fn check_predicate(&self, predicate: &Expr, dtype: DataType) -> Result<()> {
        if predicate.dtype != DataType::BOOL.with_lanes(dtype.lanes) {
            return Err(self.unit.malformed(format!("a predicate of {} for {dtype}", predicate.dtype)));
        }
        Ok(())
    }

    /// The elements that an access touches, and the type that it moves. All of them are inside the buffer if `whole`;
    /// else inactive lanes may be outside.
    fn accessed(&mut self, buffer: &Buffer, indices: &[Expr], whole: bool) -> Result<(Access, DataType)> {
        let [index] = indices else {
            return Err(self.unit.malformed(format!("{} indices of buffer `{}`", indices.len(), buffer.name)));
        };
        let (base, index_type) = (self.address(buffer)?, index.dtype);
        if !index_type.is_int() {
            return Err(self.unit.malformed(format!("an index of buffer `{}` is {index_type}", buffer.name)));
        }
        let dtype = buffer.dtype.with_lanes(index_type.lanes);
        self.unit.check_type(dtype)?;
        let position = if self.has_load(index) { Position::Value } else { Position::Index };
        let access = if dtype.is_scalar() {
            let index = self.value(index, position)?;
            Access::Scalar(self.element_if(whole, &base, dtype, &index, index_type))
        } else if let Some(stride) = stride_of(index) {
            let first = self.first_lane(index, position)?;
            let address = self.element_if(whole, &base, dtype, &first, index_type.element());
            if let (ExprKind::Ramp { base: first, .. }, 1) = (&index.kind, stride) {
                self.note_alignment(&address, first, dtype);
            }
            Access::Strided(address, stride)
        } else {
            let is_constant = is_constant(index);
            Access::Indexed { base, index: self.value(index, position)?, index_type, is_constant }
        };
        Ok((access, dtype))
    }

    /// The address of an element that a scalar index names.
    pub(crate) fn element_address(&mut self, buffer: &Buffer, index: &Expr) -> Result<Value> {
        match self.accessed(buffer, std::slice::from_ref(index), true)? {
            (Access::Scalar(address), _) => Ok(address),
            _ => Err(self.unit.malformed(format!("the address of several elements of buffer `{}`", buffer.name))),
        }
    }

    /// The address of an element, which may be outside the buffer.
    pub(crate) fn address_unchecked(&mut self, buffer: &Buffer, index: &Expr) -> Result<Value> {
        if !index.dtype.is_int() || !index.dtype.is_scalar() {
            return Err(self.unit.malformed(format!("an index of buffer `{}` is {}", buffer.name, index.dtype)));
        }
        let base = self.address(buffer)?;
        let value = self.value(index, Position::Value)?;
        Ok(self.element_if(false, &base, buffer.dtype, &value, index.dtype))
    }

    /// The address of an element.
    fn element(&mut self, base: &Value, dtype: DataType, index: &Value, index_type: DataType) -> Value {
        self.element_if(true, base, dtype, index, index_type)
    }

    /// The address of an element, which may be outside the buffer unless `is_inside`: the first lane of a masked
    /// access, or of a piece of it, may be inactive.
    pub(crate) fn element_if(
        &mut self,
        is_inside: bool,
        base: &Value,
        dtype: DataType,
        index: &Value,
        index_type: DataType,
    ) -> Value {
        let index = self.address_index(index, index_type);
        let (ty, flag) = (Mem(dtype.element()), if is_inside { " inbounds" } else { "" });
        self.body.assign(format_args!("getelementptr{flag} {ty}, ptr {base}, {index}"))
    }

    /// An index as addresses take it: LLVM extends narrow ones by their sign.
    fn address_index(&mut self, index: &Value, dtype: DataType) -> String {
        if dtype.is_signed() || dtype.bits == 64 {
            return format!("{} {index}", Reg(dtype));
        }
        let wide = DataType { bits: 64, ..dtype };
        let index = self.body.assign(format_args!("zext {} {index} to {}", Reg(dtype), Reg(wide)));
        format!("{} {index}", Reg(wide))
    }

    /// The first lane of an index that [`stride_of`] knows.
    fn first_lane(&mut self, index: &Expr, position: Position) -> Result<Value> {
        let scalar = index.dtype.element();
        match &index.kind {
            ExprKind::Ramp { base, .. } => self.value(base, position),
            ExprKind::Broadcast(value) => self.value(value, position),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                let (a, b) = (self.first_lane(a, position)?, self.first_lane(b, position)?);
                let name = match op {
                    BinOp::Add => "add",
                    BinOp::Sub => "sub",
                    _ => "mul",
                };
                let flag = no_wrap(position, scalar);
                Ok(self.body.assign(format_args!("{name}{flag} {} {a}, {b}", Reg(scalar))))
            }
            _ => Err(self.unit.malformed("an index without a first lane")),
        }
    }

    fn load_vector(&mut self, address: &Value, dtype: DataType) -> Value {
        let align = dtype.element_bytes();
        self.body.assign(format_args!("load {}, ptr {address}, align {align}", Mem(dtype)))
    }

    pub(crate) fn store_vector(&mut self, address: &Value, value: &Value, dtype: DataType) {
        let align = dtype.element_bytes();
        self.body.line(format_args!("store {} {value}, ptr {address}, align {align}", Mem(dtype)));
    }

    /// A scalar, or zero where the predicate is false.
    pub(crate) fn load_if(&mut self, predicate: &Value, address: &Value, dtype: DataType) -> Value {
        let (yes, done, before) = (self.body.label(), self.body.label(), self.body.open());
        self.body.branch(predicate, yes, done);
        self.body.start(yes);
        let value = self.load_vector(address, dtype);
        self.body.jump(done);
        self.body.start(done);
        let ty = Mem(dtype);
        self.body.assign(format_args!("phi {ty} [ {value}, %{yes} ], [ zeroinitializer, %{before} ]"))
    }

    pub(crate) fn load_masked(&mut self, address: &Value, mask: &Value, dtype: DataType) -> Value {
        if self.unit.is_device() {
            return self.load_lane_by_lane(address, mask, dtype);
        }
        let (ty, name, align, lanes) = (Mem(dtype), memory_name(dtype), dtype.element_bytes(), dtype.lanes);
        self.body.assign(format_args!(
            "call {ty} @llvm.masked.load.{name}.p0(ptr align {align} {address}, <{lanes} x i1> {mask}, \
             {ty} zeroinitializer)"
        ))
    }

    /// The elements of the mask's lanes, each by a load of its own: LLVM would load all lanes at once on a GPU where it
    /// knows the mask, those beyond the end of a tensor too.
    fn load_lane_by_lane(&mut self, address: &Value, mask: &Value, dtype: DataType) -> Value {
        let (ty, scalar) = (Mem(dtype), dtype.element());
        let mut result = Value::constant("zeroinitializer");
        for lane in 0..dtype.lanes {
            let active = self.lane(mask, DataType::BOOL.with_lanes(dtype.lanes), lane);
            let place = self.lane_address(&Access::Strided(address.clone(), 1), dtype, lane);
            let value = self.load_if(&active, &place, scalar);
            result = self.body.assign(format_args!("insertelement {ty} {result}, {} {value}, i64 {lane}", Mem(scalar)));
        }
        result
    }

    /// The same for a store.
    fn store_lane_by_lane(&mut self, address: &Value, mask: &Value, value: &Value, dtype: DataType) {
        for lane in 0..dtype.lanes {
            let active = self.lane(mask, DataType::BOOL.with_lanes(dtype.lanes), lane);
            let place = self.lane_address(&Access::Strided(address.clone(), 1), dtype, lane);
            let element = self.body.assign(format_args!("extractelement {} {value}, i64 {lane}", Mem(dtype)));
            let (yes, done) = (self.body.label(), self.body.label());
            self.body.branch(&active, yes, done);
            self.body.start(yes);
            self.store_vector(&place, &element, dtype.element());
            self.body.jump(done);
            self.body.start(done);
        }
    }

    fn load_lanes(&mut self, access: &Access, dtype: DataType) -> Value {
        let ty = Mem(dtype);
        if let Access::Strided(address, 0) = access {
            let scalar = self.load_vector(address, dtype.element());
            let (first, lanes) = (
                self.body.assign(format_args!("insertelement {ty} poison, {} {scalar}, i64 0", Mem(dtype.element()))),
                dtype.lanes,
            );
            return self
                .body
                .assign(format_args!("shufflevector {ty} {first}, {ty} poison, <{lanes} x i32> zeroinitializer"));
        }
        let mut result = Value::constant("poison");
        for lane in 0..dtype.lanes {
            let address = self.lane_address(access, dtype, lane);
            let value = self.load_vector(&address, dtype.element());
            let scalar = Mem(dtype.element());
            result = self.body.assign(format_args!("insertelement {ty} {result}, {scalar} {value}, i64 {lane}"));
        }
        result
    }

    /// Scatter, in the order of the lanes: of several lanes with one index the last one remains.
    fn store_lanes(&mut self, access: &Access, value: &Value, dtype: DataType) {
        for lane in 0..dtype.lanes {
            let address = self.lane_address(access, dtype, lane);
            let element = self.body.assign(format_args!("extractelement {} {value}, i64 {lane}", Mem(dtype)));
            self.store_vector(&address, &element, dtype.element());
        }
    }

    /// A load with stride 2. Each register is shuffled out of two contiguous vectors, the second of which ends with the
    /// last wanted element: nothing beyond it is read.
    fn load_every_other(&mut self, address: &Value, dtype: DataType) -> Value {
        let whole = u16::try_from(self.unit.target.lanes(u32::from(dtype.bits))).unwrap_or(u16::MAX).max(4);
        let mut result: Option<(Value, u16)> = None;
        let mut first = 0;
        while first < dtype.lanes {
            let rest = dtype.lanes - first;
            let lanes = if rest >= whole { whole } else { 1 << rest.ilog2() };
            let part = dtype.with_lanes(lanes);
            let at = |this: &mut Self, element: u16| {
                let access = this.element(address, dtype, &Value::constant(element.to_string()), DataType::I64);
                this.load_vector(&access, part)
            };
            let (low, high) = (at(self, 2 * first), at(self, 2 * first + lanes - 1));
            let from_low = (0..lanes / 2).map(|lane| 2 * lane);
            let from_high = (lanes / 2..lanes).map(|lane| 2 * lane + 1);
            let values = self.shuffled(&low, &high, part, &from_low.chain(from_high).collect::<Vec<_>>());
            result = Some(match result {
                None => (values, lanes),
                Some((before, count)) => (self.joined((&before, count), (&values, lanes), dtype), count + lanes),
            });
            first += lanes;
        }
        result.map_or_else(|| Value::constant("poison"), |(values, _)| values)
    }

    /// Whether a vector, of halves and quarters, fits into a register.
    fn is_one_register(&self, dtype: DataType) -> bool {
        dtype.lanes.is_multiple_of(4) && u32::from(dtype.lanes) <= self.unit.target.lanes(u32::from(dtype.bits))
    }

    /// A masked load with stride 2; inactive elements are not read.
    fn load_every_other_masked(&mut self, address: &Value, mask: &Value, dtype: DataType) -> Value {
        let (lanes, bools) = (dtype.lanes, Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let mut part = |element: u16, first: u16, odd: u16| {
            // Lanes from `lanes` on are those of the zeros.
            let numbers = (0..lanes).map(|lane| if lane % 2 == odd { first + lane / 2 } else { lanes });
            let numbers: Vec<String> = numbers.map(|number| format!("i32 {number}")).collect();
            let own = self.body.assign(format_args!(
                "shufflevector {bools} {mask}, {bools} zeroinitializer, <{lanes} x i32> <{}>",
                numbers.join(", ")
            ));
            let access = self.element_if(false, address, dtype, &Value::constant(element.to_string()), DataType::I64);
            self.load_masked(&access, &own, dtype)
        };
        let (low, high) = (part(0, 0, 0), part(lanes - 1, lanes / 2, 1));
        let from_low = (0..lanes / 2).map(|lane| 2 * lane);
        let from_high = (lanes / 2..lanes).map(|lane| 2 * lane + 1);
        self.shuffled(&low, &high, dtype, &from_low.chain(from_high).collect::<Vec<_>>())
    }

    /// Concatenates two vectors, the longer one first.
    pub(crate) fn joined(&mut self, (a, count): (&Value, u16), (b, more): (&Value, u16), dtype: DataType) -> Value {
        let (long, short) = (dtype.with_lanes(count), dtype.with_lanes(more));
        let widened = (0..count).map(|lane| if lane < more { lane.to_string() } else { "poison".to_owned() });
        let widened: Vec<String> = widened.map(|lane| format!("i32 {lane}")).collect();
        let ty = Mem(short);
        let b = self
            .body
            .assign(format_args!("shufflevector {ty} {b}, {ty} poison, <{count} x i32> <{}>", widened.join(", ")));
        self.shuffled(a, &b, long, &(0..count + more).collect::<Vec<_>>())
    }

    /// Lanes of two vectors, numbered through both.
    fn shuffled(&mut self, a: &Value, b: &Value, dtype: DataType, lanes: &[u16]) -> Value {
        let (ty, count) = (Mem(dtype), lanes.len());
        let lanes: Vec<String> = lanes.iter().map(|lane| format!("i32 {lane}")).collect();
        self.body.assign(format_args!("shufflevector {ty} {a}, {ty} {b}, <{count} x i32> <{}>", lanes.join(", ")))
    }

    fn lane_address(&mut self, access: &Access, dtype: DataType, lane: u16) -> Value {
        match access {
            Access::Scalar(address) => address.clone(),
            Access::Strided(address, stride) => {
                let steps = Value::constant(stride.wrapping_mul(i64::from(lane)).to_string());
                self.element(address, dtype, &steps, DataType::I64)
            }
            Access::Indexed { base, index, index_type, .. } => {
                let index = self.lane(index, *index_type, lane);
                self.element(base, dtype, &index, index_type.element())
            }
        }
    }

    /// The addresses of all lanes; those of inactive lanes may be invalid.
    fn addresses(&mut self, access: &Access, dtype: DataType) -> Value {
        let ty = Mem(dtype.element());
        match access {
            Access::Scalar(address) => address.clone(),
            Access::Strided(address, stride) => {
                let steps: Vec<String> =
                    (0..i64::from(dtype.lanes)).map(|lane| format!("i64 {}", stride.wrapping_mul(lane))).collect();
                let (lanes, steps) = (dtype.lanes, steps.join(", "));
                self.body.assign(format_args!("getelementptr {ty}, ptr {address}, <{lanes} x i64> <{steps}>"))
            }
            Access::Indexed { base, index, index_type, .. } => {
                let index = self.address_index(index, *index_type);
                self.body.assign(format_args!("getelementptr {ty}, ptr {base}, {index}"))
            }
        }
    }

    fn reversed(&mut self, value: &Value, dtype: DataType) -> Value {
        let mask: Vec<String> = (0..dtype.lanes).rev().map(|lane| format!("i32 {lane}")).collect();
        let (ty, lanes, mask) = (Mem(dtype), dtype.lanes, mask.join(", "));
        self.body.assign(format_args!("shufflevector {ty} {value}, {ty} poison, <{lanes} x i32> <{mask}>"))
    }
}

/// The name of a vector in memory as intrinsics have it: bools are bytes there.
fn memory_name(dtype: DataType) -> Mangled {
    Mangled(if dtype.is_bool() { DataType::U8.with_lanes(dtype.lanes) } else { dtype })
}

/// Whether the index is the same whenever the access is made.
fn is_constant(index: &Expr) -> bool {
    let mut varies = false;
    walk(index, |e: &Expr| {
        varies |= matches!(e.kind, ExprKind::Var(_) | ExprKind::Load { .. } | ExprKind::Foreign { .. })
    });
    !varies
}

/// Sums and products that [`stride_of`] looks into. Lowering gives a plain ramp; this is for what it leaves.
const STRIDE_DEPTH: u32 = 6;

/// The constant distance between neighbouring lanes of an index, if there is one. Other integers than those of index
/// arithmetic may wrap between two lanes.
fn stride_of(index: &Expr) -> Option<i64> {
    fn at_depth(index: &Expr, depth: u32) -> Option<i64> {
        let part = |index| at_depth(index, depth.checked_sub(1)?);
        match &index.kind {
            ExprKind::Ramp { stride, .. } => stride.as_int(),
            ExprKind::Broadcast(_) => Some(0),
            ExprKind::Binary(BinOp::Add, a, b) => part(a)?.checked_add(part(b)?),
            ExprKind::Binary(BinOp::Sub, a, b) => part(a)?.checked_sub(part(b)?),
            ExprKind::Binary(BinOp::Mul, a, b) => match (int_constant(a), int_constant(b)) {
                (_, Some(factor)) => part(a)?.checked_mul(factor),
                (Some(factor), _) => part(b)?.checked_mul(factor),
                (None, None) => None,
            },
            _ => None,
        }
    }
    let wide = index.dtype.is_signed() && index.dtype.bits >= 32;
    if wide { at_depth(index, STRIDE_DEPTH) } else { None }
}
