//! The report of a setting that others, or the policy that was chosen, do not allow.

/// A setting outside its domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {value}, expected {expected}")]
pub struct ConfigError {
    /// The setting, as users write it.
    pub key: &'static str,
    /// The value.
    pub value: String,
    /// The values that are allowed.
    pub expected: String,
}

impl ConfigError {
    /// The setting `key` is `value`, and should be what `expected` says.
    pub fn new(key: &'static str, value: &impl ToString, expected: String) -> ConfigError {
        ConfigError { key, value: value.to_string(), expected }
    }
}
