//! Conversation templates of MLC: the object `conv_template` of an `mlc-chat-config.json`.
//!
//! A prompt is the system message in its template, then for every turn the role's name, a separator and the content,
//! and a separator after it (`seps`, by turns: the user's, then the assistant's). A turn without content is only its
//! role and `role_empty_sep`: the model goes on from there. All of it is data; nothing is evaluated.

use crate::Error;
use serde_json::Value;

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// A role of the template: `user`, `assistant`, `tool`.
    pub role: String,
    /// What was said; `None` is the turn that the model is to write.
    pub content: Option<String>,
}

/// A conversation template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The template's name.
    pub name: Option<String>,
    /// The system message's form; `{system_message}` stands for it.
    pub system_template: String,
    /// The system message where the conversation has none.
    pub system_message: String,
    /// Tokens before the prompt (BOS).
    pub system_prefix_token_ids: Vec<u32>,
    /// Whether the first turn after a system message has its role's name. Some models write it into the system
    /// template.
    pub add_role_after_system_message: bool,
    /// The names of roles as the prompt has them.
    pub roles: Vec<(String, String)>,
    /// The form of contents by role; `{user_message}`, `{assistant_message}` and `{tool_message}` stand for them.
    pub role_templates: Vec<(String, String)>,
    /// Turns before every conversation.
    pub messages: Vec<Turn>,
    /// What ends turns: one for all, or by turns.
    pub seps: Vec<String>,
    /// What is between a role's name and its content.
    pub role_content_sep: String,
    /// What is after a role's name without content.
    pub role_empty_sep: String,
    /// Texts that end the model's turn.
    pub stop_str: Vec<String>,
    /// Tokens that end the model's turn.
    pub stop_token_ids: Vec<u32>,
}

impl Conversation {
    /// Reads a `conv_template` object.
    ///
    /// # Errors
    /// Fields of other types, no `roles`, no or more than two `seps`.
    pub fn from_json(template: &Value) -> Result<Conversation, Error> {
        let fields = template.as_object().ok_or_else(|| refuse("a conversation template is not an object"))?;
        let field = |name: &str| fields.get(name).unwrap_or(&Value::Null);
        let conversation = Conversation {
            name: optional_text(field("name"), "name")?,
            system_template: optional_text(field("system_template"), "system_template")?
                .unwrap_or_else(|| "{system_message}".into()),
            system_message: optional_text(field("system_message"), "system_message")?.unwrap_or_default(),
            system_prefix_token_ids: token_ids(field("system_prefix_token_ids"), "system_prefix_token_ids")?,
            add_role_after_system_message: flag(field("add_role_after_system_message"))?.unwrap_or(true),
            roles: texts_by_name(field("roles"), "roles")?,
            role_templates: texts_by_name(field("role_templates"), "role_templates")?,
            messages: turns(field("messages"))?,
            seps: texts(field("seps"), "seps")?,
            role_content_sep: optional_text(field("role_content_sep"), "role_content_sep")?.unwrap_or_default(),
            role_empty_sep: optional_text(field("role_empty_sep"), "role_empty_sep")?.unwrap_or_default(),
            stop_str: texts(field("stop_str"), "stop_str")?,
            stop_token_ids: token_ids(field("stop_token_ids"), "stop_token_ids")?,
        };
        if conversation.roles.is_empty() {
            return Err(refuse("a conversation template without `roles`"));
        }
        if !(1..=2).contains(&conversation.seps.len()) {
            return Err(refuse("`seps` has neither one nor two separators"));
        }
        Ok(conversation)
    }

    /// The prompt of a conversation. `system` takes the place of the template's system message.
    ///
    /// # Errors
    /// A role that the template does not have; an empty list of turns.
    pub fn render(&self, system: Option<&str>, turns: &[Turn]) -> Result<String, Error> {
        let message = system.unwrap_or(&self.system_message);
        let mut prompt = self.system_template.replace("{system_message}", message);
        if !prompt.is_empty() {
            prompt.push_str(&self.seps[0]);
        }
        let has_system = !prompt.is_empty();
        let all: Vec<&Turn> = self.messages.iter().chain(turns).collect();
        if all.is_empty() {
            return Err(refuse("there is no turn"));
        }
        for (index, turn) in all.into_iter().enumerate() {
            let name = self.role_name(&turn.role)?;
            let bare = index == 0 && has_system && !self.add_role_after_system_message;
            let name = if bare { "" } else { name };
            prompt.push_str(name);
            let Some(content) = &turn.content else {
                prompt.push_str(&self.role_empty_sep);
                continue;
            };
            if !bare {
                prompt.push_str(&self.role_content_sep);
            }
            prompt.push_str(&self.content(&turn.role, content));
            let sep = if turn.role == "assistant" { self.seps.len() - 1 } else { 0 };
            prompt.push_str(&self.seps[sep]);
        }
        Ok(prompt)
    }

    fn role_name(&self, role: &str) -> Result<&str, Error> {
        let known = self.roles.iter().find(|(name, _)| name == role).map(|(_, text)| text.as_str());
        known.ok_or_else(|| refuse(&format!("the template has no role `{role}`")))
    }

    fn content(&self, role: &str, content: &str) -> String {
        match self.role_templates.iter().find(|(name, _)| name == role) {
            Some((_, template)) => template.replace(&format!("{{{role}_message}}"), content),
            None => content.to_string(),
        }
    }
}

fn refuse(why: &str) -> Error {
    Error::Conversation(why.into())
}

fn optional_text(value: &Value, name: &str) -> Result<Option<String>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(refuse(&format!("`{name}` is not a string"))),
    }
}

fn flag(value: &Value) -> Result<Option<bool>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        _ => Err(refuse("`add_role_after_system_message` is not true or false")),
    }
}

fn texts(value: &Value, name: &str) -> Result<Vec<String>, Error> {
    let malformed = || refuse(&format!("`{name}` is not a list of strings"));
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(String::from).ok_or_else(malformed)).collect(),
        _ => Err(malformed()),
    }
}

fn token_ids(value: &Value, name: &str) -> Result<Vec<u32>, Error> {
    let malformed = || refuse(&format!("`{name}` is not a list of token ids"));
    let id = |item: &Value| item.as_u64().and_then(|id| u32::try_from(id).ok()).ok_or_else(malformed);
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items.iter().map(id).collect(),
        _ => Err(malformed()),
    }
}

fn texts_by_name(value: &Value, name: &str) -> Result<Vec<(String, String)>, Error> {
    let malformed = || refuse(&format!("`{name}` is not an object of strings"));
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Object(entries) => entries
            .iter()
            .map(|(name, text)| Ok((name.clone(), text.as_str().ok_or_else(malformed)?.to_string())))
            .collect(),
        _ => Err(malformed()),
    }
}

fn turns(value: &Value) -> Result<Vec<Turn>, Error> {
    let malformed = || refuse("`messages` is not a list of pairs of a role and a text");
    let turn = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([Value::String(role), Value::String(text)]) => {
            Ok(Turn { role: role.clone(), content: Some(text.clone()) })
        }
        Some([Value::String(role), Value::Null]) => Ok(Turn { role: role.clone(), content: None }),
        _ => Err(malformed()),
    };
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items.iter().map(turn).collect(),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn turn(role: &str, content: Option<&str>) -> Turn {
        Turn { role: role.into(), content: content.map(String::from) }
    }

    #[test]
    fn a_template_with_two_separators_renders_turn_by_turn() {
        let template = Conversation::from_json(&json!({
            "name": "two", "system_template": "[S]{system_message}[/S]", "system_message": "Be kind.",
            "roles": {"user": "U", "assistant": "A"}, "role_templates": {"user": "<{user_message}>"},
            "seps": ["|", "#"], "role_content_sep": ": ", "role_empty_sep": ":",
            "stop_str": ["U"], "stop_token_ids": [2]
        }))
        .unwrap();
        let turns = [turn("user", Some("hi")), turn("assistant", Some("yes")), turn("assistant", None)];
        assert_eq!(template.render(None, &turns).unwrap(), "[S]Be kind.[/S]|U: <hi>|A: yes#A:");
        assert_eq!(template.stop_token_ids, [2]);
        assert_eq!(template.render(Some("{system_message}"), &turns[2..]).unwrap(), "[S]{system_message}[/S]|A:");
    }

    #[test]
    fn the_first_role_can_be_in_the_system_template() {
        let template = Conversation::from_json(&json!({
            "system_template": "[INST] {system_message}", "system_message": "Sys.", "add_role_after_system_message": false,
            "roles": {"user": "[INST]", "assistant": "[/INST]"}, "seps": [" "], "role_content_sep": " ", "role_empty_sep": ""
        }))
        .unwrap();
        let prompt = template.render(None, &[turn("user", Some("q")), turn("assistant", None)]).unwrap();
        assert_eq!(prompt, "[INST] Sys. q [/INST]");
    }

    #[test]
    fn malformed_templates_and_turns_are_refused() {
        for bad in [
            json!(1),
            json!({}),
            json!({"roles": {"user": "U"}, "seps": []}),
            json!({"roles": {"user": 1}, "seps": ["a"]}),
            json!({"roles": {"user": "U"}, "seps": ["a"], "stop_token_ids": [-1]}),
            json!({"roles": {"user": "U"}, "seps": ["a"], "messages": [["user"]]}),
        ] {
            assert!(Conversation::from_json(&bad).is_err(), "{bad}");
        }
        let template = Conversation::from_json(&json!({"roles": {"user": "U"}, "seps": ["a"]})).unwrap();
        assert!(template.render(None, &[turn("judge", None)]).is_err());
        assert!(template.render(None, &[]).is_err());
    }
}
