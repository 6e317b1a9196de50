//! `UpdateVDevice`: one device of the module's list becomes another, wherever it is named.
//!
//! ```text
//! vdevice = [llvm, cuda]; x: Tensor((2,), vdevice=llvm)  ⇒  vdevice = [opencl, cuda]; x: Tensor((2,), vdevice=opencl)
//! ```
//!
//! From any form to any form: struct infos, the operators that name a device, and the list itself change.

use std::sync::Arc;

use tilewright_ir::builder::{BlockBuilder, map_exprs, mutate_module, with_params};
use tilewright_ir::op::{AttrDefault, InferCx, InferError};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo, VDevice};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, GlobalInfo, IRModule};
use tilewright_support::Diagnostic;

/// Replaces one device of a module.
#[derive(Clone, Debug)]
pub struct UpdateVDevice {
    /// The position of the device in the module's list.
    pub index: usize,
    /// The device in its stead.
    pub new: VDevice,
}

const NAME: &str = "UpdateVDevice";

impl UpdateVDevice {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "One device of the module's list becomes another, wherever it is named.",
        params: &[
            ParamDef {
                name: "index",
                kind: ParamKind::Int,
                default: AttrDefault::Required,
                doc: "The position of the device in the module's list.",
            },
            ParamDef {
                name: "target",
                kind: ParamKind::Str,
                default: AttrDefault::Required,
                doc: "The target of the new device.",
            },
            ParamDef {
                name: "vdevice_id",
                kind: ParamKind::Int,
                default: AttrDefault::Int(0),
                doc: "Its number among those of its target.",
            },
            ParamDef {
                name: "memory_scope",
                kind: ParamKind::Str,
                default: AttrDefault::Str("global"),
                doc: "Where in its memory.",
            },
        ],
        make: |args| {
            let index = usize::try_from(args.int("index")).ok();
            let index = index.ok_or_else(|| format!("`{NAME}` needs a position that is not negative"))?;
            let text = |name: &str| args.text(name).ok_or_else(|| format!("`{NAME}` needs `{name}`"));
            let (target, memory_scope) = (text("target")?.into(), text("memory_scope")?.into());
            let id = args.int("vdevice_id");
            Ok(Arc::new(Self { index, new: VDevice { target, id, memory_scope } }))
        },
    };
}

impl Pass for UpdateVDevice {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let failed = |message: String| PassError::new(NAME, Diagnostic::error("TW0731", message));
        let Some(old) = module.vdevices().nth(self.index).cloned() else {
            let count = module.vdevices().count();
            return Err(failed(format!("the module names {count} devices, none at position {}", self.index)));
        };
        let renaming = Renaming { old, new: self.new.clone() };
        let mut renamed = module.clone();
        let mut left = self.index;
        for info in renamed.global_infos.get_mut(GlobalInfo::VDEVICES).into_iter().flatten() {
            if let GlobalInfo::VDevice(device) = info {
                if left == 0 {
                    *device = self.new.clone();
                    break;
                }
                left -= 1;
            }
        }
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            let params = function.params.iter().map(|param| match renaming.info(&param.struct_info) {
                Some(info) => param.with_struct_info(info),
                None => param.clone(),
            });
            let mut bb = BlockBuilder::with_module(renamed.clone());
            let mut rewrite = map_exprs(|_, expr| Ok(renaming.call(expr)?));
            let typed = with_params(&mut bb, function, params.collect(), &mut rewrite);
            renamed.insert(name.clone(), typed.map_err(|error| failed(error.to_string()))?);
        }
        mutate_module(&renamed, &mut map_exprs(|_, _| Ok(None))).map_err(|error| failed(error.to_string()))
    }
}

/// A device, and the one in its stead.
struct Renaming {
    old: VDevice,
    new: VDevice,
}

impl Renaming {
    /// The struct info with the new device; nothing where it does not name the old one.
    fn info(&self, info: &StructInfo) -> Option<StructInfo> {
        match info {
            StructInfo::Tensor { shape, dtype, vdevice: Some(device) } if *device == self.old => {
                Some(StructInfo::Tensor { shape: shape.clone(), dtype: *dtype, vdevice: Some(self.new.clone()) })
            }
            StructInfo::Tuple(fields) => self.infos(fields).map(StructInfo::Tuple),
            _ => None,
        }
    }

    fn infos(&self, infos: &[StructInfo]) -> Option<Vec<StructInfo>> {
        let renamed: Vec<Option<StructInfo>> = infos.iter().map(|info| self.info(info)).collect();
        let any = renamed.iter().any(Option::is_some);
        any.then(|| renamed.into_iter().zip(infos).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
    }

    /// The call with the new device where it names the old one: in an attribute, or in the struct info of its result.
    fn call(&self, expr: &Expr) -> Result<Option<Expr>, InferError> {
        let ExprKind::Call { callee, args, attrs, sinfo_args } = &expr.kind else { return Ok(None) };
        if let Callee::Op(op) = callee {
            let is_old = |attr: &Attr| VDevice::of_attr(attr).is_some_and(|device| device == self.old);
            if !attrs.iter().any(|(_, attr)| is_old(attr)) {
                return Ok(None);
            }
            let new = |attr: &Attr| if is_old(attr) { self.new.to_attr() } else { attr.clone() };
            let attrs = attrs.iter().map(|(name, attr)| (name.clone(), new(attr))).collect();
            return Expr::call_op(&InferCx::default(), *op, args.clone(), attrs).map(Some);
        }
        let Some(sinfo_args) = self.infos(sinfo_args) else { return Ok(None) };
        let (callee, args, attrs) = (callee.clone(), args.clone(), attrs.clone());
        let struct_info = self.info(&expr.struct_info).unwrap_or_else(|| expr.struct_info.clone());
        Ok(Some(Expr::raw(struct_info, ExprKind::Call { callee, args, attrs, sinfo_args })))
    }
}
