//! Global infos of a module: `I.module_global_infos`, and the devices that struct infos name.

use std::sync::Arc;

use ruff_python_ast as ast;
use tilewright_ir::GlobalInfo;
use tilewright_ir::relax::VDevice;
use tilewright_support::Diagnostic;

use super::codes;
use super::cx::{Parser, Reported, Res};
use super::value::Value;
use crate::spelling::devices::names_of;

/// The functions of `I`: values, then statements in the body of a module.
const FUNCTIONS: [&str; 4] = ["vdevice", "dummy_global_info", "module_attrs", "module_global_infos"];

/// Every name of `I`.
pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    ["ir_module"].into_iter().chain(FUNCTIONS)
}

impl Parser<'_> {
    /// A call of something of `I` as an expression.
    pub(super) fn ir_call(&mut self, expr: &ast::Expr, name: &str, call: &ast::ExprCall) -> Res<Value> {
        match name {
            "vdevice" => self.vdevice_call(call),
            "dummy_global_info" => {
                self.bind(call, &[], 0)?;
                Ok(Value::GlobalInfo(GlobalInfo::Dummy))
            }
            _ => {
                let text = self.text_of(&*call.func).to_owned();
                if FUNCTIONS[2..].contains(&name) {
                    let message = format!("`{text}` belongs in the body of a module, as a statement");
                    return Err(self.fail(codes::PLACE, expr, message, ""));
                }
                let known = FUNCTIONS.map(|name| self.spell(&format!("script.ir.{name}")));
                let message = format!("unknown function `{text}`");
                Err(self.unknown(
                    codes::UNKNOWN_FUNCTION,
                    &*call.func,
                    message,
                    &text,
                    known.iter().map(String::as_str),
                ))
            }
        }
    }

    /// `I.vdevice(target, index, memory_scope)`.
    fn vdevice_call(&mut self, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["target", "vdevice_id", "memory_scope"], 1)?;
        let node = bound[0].ok_or(Reported)?;
        let target = match self.eval(node)? {
            Value::Str(target) => target,
            Value::Dict(items) => self.target_of(node, &items)?,
            other => return Err(self.wrong_kind(node, "a target such as \"llvm\"", &other)),
        };
        let id = bound[1].map_or(Ok(0), |node| self.integer(node))?;
        let memory_scope = bound[2].map_or(Ok("global".into()), |node| self.string(node))?;
        Ok(Value::GlobalInfo(GlobalInfo::VDevice(VDevice { target, id, memory_scope })))
    }

    /// A target that is written as a dict: its kind, then its options as on a command line.
    fn target_of(&mut self, node: &ast::Expr, items: &[(Arc<str>, Value)]) -> Res<Arc<str>> {
        let mut kind = None;
        let mut options = String::new();
        for (key, value) in items {
            let text = match value {
                Value::Str(text) => text.to_string(),
                Value::Int(number) => number.to_string(),
                Value::Bool(flag) => u8::from(*flag).to_string(),
                Value::Tuple(words) => {
                    let words = words.iter().map(|word| match word {
                        Value::Str(text) => Some(&**text),
                        _ => None,
                    });
                    match words.collect::<Option<Vec<_>>>() {
                        Some(words) => words.join(","),
                        None => return Err(self.wrong_kind(node, "texts in a target's lists", value)),
                    }
                }
                other => return Err(self.wrong_kind(node, "texts and numbers in a target", other)),
            };
            match &**key {
                "kind" => kind = Some(text),
                // An empty tag and what follows from the kind say nothing.
                "tag" if text.is_empty() => {}
                _ => options.push_str(&format!(" -{key}={text}")),
            }
        }
        match kind {
            Some(kind) => Ok((kind + &options).into()),
            None => Err(self.fail(codes::ARGUMENTS, node, "a target needs a `kind`", "")),
        }
    }

    /// Enters what `I.module_global_infos({…})` says.
    pub(super) fn module_global_infos(&mut self, call: &ast::ExprCall) -> Res<()> {
        let bound = self.bind(call, &["global_infos"], 1)?;
        let node = bound[0].ok_or(Reported)?;
        let Value::Dict(lists) = self.eval(node)? else {
            return Err(self.fail(codes::KIND, node, "expected a dict of lists", ""));
        };
        for (name, list) in lists {
            let Value::Tuple(items) = list else {
                return Err(self.wrong_kind(node, "a list of global infos", &list));
            };
            let mut infos = Vec::new();
            for item in items {
                match item {
                    Value::GlobalInfo(info) => infos.push(info),
                    other => {
                        let expected = format!("a global info such as `{}(…)`", self.spell("script.ir.vdevice"));
                        return Err(self.wrong_kind(node, &expected, &other));
                    }
                }
            }
            self.functions.global_infos.insert(name, infos);
        }
        Ok(())
    }

    /// The device that a struct info names: one of the module's, or one that is written out.
    pub(super) fn device_argument(&mut self, node: &ast::Expr) -> Res<Option<VDevice>> {
        match self.eval(node)? {
            Value::None => Ok(None),
            Value::GlobalInfo(GlobalInfo::VDevice(device)) => Ok(Some(device)),
            Value::Str(text) => self.device_of_text(node, &text).map(Some),
            other => Err(self.wrong_kind(node, "a device such as \"llvm:0\"", &other)),
        }
    }

    /// `"llvm:1"`: the second of the module's devices of that kind; `"vdevice:1"`: its second device of any.
    fn device_of_text(&mut self, node: &ast::Expr, text: &str) -> Res<VDevice> {
        let mut parts = text.split(':');
        let kind = parts.next().unwrap_or_default();
        let index = parts.next().map_or(Some(0), |index| index.parse::<usize>().ok());
        let scope = parts.next();
        if let (Some(index), None) = (index, parts.next()) {
            let fits = |device: &&VDevice| {
                (kind == "vdevice" || device.kind() == kind) && scope.is_none_or(|scope| *device.memory_scope == *scope)
            };
            // With a memory scope the index still counts all devices of the kind.
            let found = self.functions.vdevices().filter(|d| kind == "vdevice" || d.kind() == kind).nth(index);
            if let Some(device) = found.filter(fits) {
                return Ok(device.clone());
            }
        }
        let call = self.spell("script.ir.module_global_infos");
        let known: Vec<String> =
            names_of(self.functions.vdevices()).into_iter().map(|(_, name)| format!("\"{name}\"")).collect();
        let help = match known.as_slice() {
            [] => format!(
                "name it in the module: `{call}({{\"vdevice\": [{}(\"{kind}\")]}})`",
                self.spell("script.ir.vdevice")
            ),
            known => format!("the module has {}", known.join(", ")),
        };
        let message = format!("the module has no device \"{text}\"");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message).at(self.span(node)).help(help);
        Err(self.report(diagnostic))
    }
}
