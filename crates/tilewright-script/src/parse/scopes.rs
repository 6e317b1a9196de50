//! The names in scope: a look-up costs the same however many scopes are open.

use ruff_python_ast::name::Name;
use tilewright_support::Map;

use super::value::Value;

/// Names and their values.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// The definitions of the file itself, around every function.
    file: Map<Name, Value>,
    /// The current meaning of each name, and its outer meanings.
    slots: Map<Name, Slot>,
    /// The names that each open scope defines, innermost last.
    open: Vec<Vec<Name>>,
}

#[derive(Debug)]
struct Slot {
    /// The number of open scopes at the definition.
    level: usize,
    value: Value,
    outer: Option<Box<Slot>>,
}

/// The scopes of a function whose reading is interrupted by that of another one.
#[derive(Debug)]
pub(super) struct Interrupted {
    slots: Map<Name, Slot>,
    open: Vec<Vec<Name>>,
}

impl Scopes {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        match self.slots.get(name) {
            Some(slot) => Some(&slot.value),
            None => self.file.get(name),
        }
    }

    /// Gives the name a value in the innermost scope.
    pub(super) fn define(&mut self, name: &str, value: Value) {
        let level = self.open.len();
        let Some(scope) = self.open.last_mut() else {
            self.file.insert(name.into(), value);
            return;
        };
        match self.slots.get_mut(name) {
            Some(slot) if slot.level == level => slot.value = value,
            Some(slot) => {
                let outer = std::mem::replace(slot, Slot { level, value, outer: None });
                slot.outer = Some(Box::new(outer));
                scope.push(name.into());
            }
            None => {
                let name = Name::from(name);
                scope.push(name.clone());
                self.slots.insert(name, Slot { level, value, outer: None });
            }
        }
    }

    /// Whether the innermost scope itself defines the name.
    pub(super) fn defines_here(&self, name: &str) -> bool {
        self.slots.get(name).is_some_and(|slot| slot.level == self.open.len())
    }

    pub(super) fn open(&mut self) {
        self.open.push(Vec::new());
    }

    /// Ends the innermost scope.
    pub(super) fn close(&mut self) {
        for name in self.open.pop().unwrap_or_default() {
            self.forget(&name);
        }
    }

    /// Ends the innermost scope, and gives what it defined.
    pub(super) fn close_with_values(&mut self) -> Map<Name, Value> {
        let names = self.open.pop().unwrap_or_default();
        names.into_iter().filter_map(|name| self.forget(&name).map(|value| (name, value))).collect()
    }

    /// Brings back what the name meant outside.
    fn forget(&mut self, name: &Name) -> Option<Value> {
        let slot = self.slots.get_mut(name)?;
        match slot.outer.take() {
            Some(outer) => Some(std::mem::replace(slot, *outer).value),
            None => self.slots.remove(name).map(|slot| slot.value),
        }
    }

    /// Leaves only what the file defines, until [`Scopes::resume`].
    pub(super) fn interrupt(&mut self) -> Interrupted {
        Interrupted { slots: std::mem::take(&mut self.slots), open: std::mem::take(&mut self.open) }
    }

    pub(super) fn resume(&mut self, interrupted: Interrupted) {
        (self.slots, self.open) = (interrupted.slots, interrupted.open);
    }

    /// All names in scope, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().chain(self.file.keys()).map(Name::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(scopes: &Scopes, name: &str) -> Option<i128> {
        match scopes.get(name) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }

    #[test]
    fn a_scope_hides_and_gives_back() {
        let mut scopes = Scopes::default();
        scopes.define("x", Value::Int(0));
        scopes.open();
        scopes.define("x", Value::Int(1));
        scopes.define("y", Value::Int(2));
        scopes.open();
        scopes.define("x", Value::Int(3));
        scopes.define("x", Value::Int(4));
        assert!(scopes.defines_here("x") && !scopes.defines_here("y"));
        assert_eq!((int(&scopes, "x"), int(&scopes, "y")), (Some(4), Some(2)));
        assert_eq!(scopes.close_with_values().len(), 1);
        assert_eq!(int(&scopes, "x"), Some(1));
        let interrupted = scopes.interrupt();
        assert_eq!((int(&scopes, "x"), int(&scopes, "y")), (Some(0), None));
        scopes.resume(interrupted);
        assert_eq!((int(&scopes, "x"), int(&scopes, "y")), (Some(1), Some(2)));
        scopes.close();
        assert_eq!((int(&scopes, "x"), int(&scopes, "y")), (Some(0), None));
    }
}
