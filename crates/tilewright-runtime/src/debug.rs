//! Debugging calls of a running program: functions of the process, which get the location of the call and values.

use std::io::Write;

use crate::builtins::{Builtin, refused, text, wrong_arguments};
use crate::error::Result;
use crate::registry;
use crate::value::Value;

pub(crate) const ALL: [(&str, Builtin); 2] =
    [("vm.builtin.invoke_debug_func", invoke), ("vm.builtin.debug_print", print)];

/// `(state, name, place, values…)`: calls the function of this name with the place and the values; the state comes
/// back, so that a program that hands it on keeps such calls in order.
fn invoke(args: &[Value]) -> Result<Value> {
    let [state, Value::Str(name), given @ ..] = args else {
        return Err(wrong_arguments("a state and a name", args));
    };
    registry::get(name)?(given)?;
    Ok(state.clone())
}

/// `(place, values…)`: writes a line for them to the standard output.
fn print(args: &[Value]) -> Result<Value> {
    let Some((Value::Str(place), values)) = args.split_first() else {
        return Err(wrong_arguments("a place", args));
    };
    let values: Vec<String> = values.iter().map(text).collect();
    let written = writeln!(std::io::stdout(), "[{place}] {}", values.join(", "));
    written.map_err(|error| refused(format!("the line cannot be written: {error}")))?;
    Ok(Value::None)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_function_gets_the_place_and_the_values_and_the_state_comes_back() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        registry::register_override("test.debug.seen", move |args| {
            sink.lock().unwrap().extend(args.iter().map(|arg| format!("{arg:?}")));
            Ok(Value::Int(99))
        });
        let args = [Value::Int(7), "test.debug.seen".into(), "model.py:3".into(), Value::Int(5)];
        assert!(matches!(invoke(&args).unwrap(), Value::Int(7)));
        assert_eq!(*seen.lock().unwrap(), [format!("{:?}", Value::from("model.py:3")), format!("{:?}", Value::Int(5))]);
        registry::unregister("test.debug.seen");
        assert!(invoke(&args).is_err());
        assert!(invoke(&[Value::None]).is_err() && print(&[Value::Int(1)]).is_err());
    }
}
