//! Settings of a policy's own: a struct of the policy's, whose fields users set by keys, as they set the protocol's.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// A struct with the settings of a policy. [`Default`] gives the values that hold unless a user sets others.
pub trait PolicySettings: Any + Clone + Debug + Default + PartialEq + Send + Sync {}

impl<T: Any + Clone + Debug + Default + PartialEq + Send + Sync> PolicySettings for T {}

/// The settings of all policies that have some, a struct for each policy, found by its type. Unset settings have their
/// defaults.
#[derive(Clone, Debug, Default)]
pub struct OwnSettings {
    given: Vec<Arc<dyn ErasedSettings>>,
}

/// Settings of an erased type.
trait ErasedSettings: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;

    /// Returns true if `all` has the same values for settings of this type.
    fn is_in(&self, all: &OwnSettings) -> bool;
}

impl<T: PolicySettings> ErasedSettings for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_in(&self, all: &OwnSettings) -> bool {
        all.of::<T>() == *self
    }
}

impl OwnSettings {
    /// The settings of type `T`.
    pub fn of<T: PolicySettings>(&self) -> T {
        self.given.iter().find_map(|held| held.as_ref().as_any().downcast_ref()).cloned().unwrap_or_default()
    }

    /// Replaces the settings of type `T`.
    pub fn set<T: PolicySettings>(&mut self, settings: T) {
        self.given.retain(|held| !held.as_ref().as_any().is::<T>());
        self.given.push(Arc::new(settings));
    }

    /// Replaces the settings of type `T` by the result of `change`. They stay if it fails.
    ///
    /// # Errors
    /// The error of `change`.
    pub fn change<T: PolicySettings, E>(
        &mut self,
        change: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut settings = self.of::<T>();
        change(&mut settings)?;
        self.set(settings);
        Ok(())
    }
}

impl PartialEq for OwnSettings {
    fn eq(&self, other: &OwnSettings) -> bool {
        self.given.iter().all(|held| held.is_in(other)) && other.given.iter().all(|held| held.is_in(self))
    }
}

/// A [`Setting`](anabranch_base::setting::Setting) of a policy's own: its key, the struct and the field that it sets,
/// scope, kind and meaning.
///
/// ```
/// use anabranch_base::setting::{Kind, Setting, Value};
/// use anabranch_sctp::own_field;
/// use anabranch_sctp::policy::registry::OwnSettings;
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct Rotation {
///     first: u64,
/// }
///
/// const FIRST: Setting<OwnSettings> =
///     own_field!("rotation.first" = Rotation.first, Everywhere, Kind::Whole { least: 0, most: 9 }, "packets of the first path");
/// let mut own = OwnSettings::default();
/// (FIRST.set)(&mut own, Value::Whole(3))?;
/// assert_eq!(own.of::<Rotation>(), Rotation { first: 3 });
/// # Ok::<(), anabranch_base::setting::Refusal>(())
/// ```
#[macro_export]
macro_rules! own_field {
    ($key:literal = $settings:ident . $field:ident, $scope:ident, $kind:expr, $doc:literal) => {
        $crate::base::setting::Setting {
            key: $key,
            scope: $crate::base::setting::Scope::$scope,
            kind: $kind,
            doc: $doc,
            get: |own: &$crate::policy::registry::OwnSettings| {
                $crate::base::setting::shown(&own.of::<$settings>().$field)
            },
            set: |own, value| {
                own.change(|settings: &mut $settings| $crate::base::setting::put(&mut settings.$field, value))
            },
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Rotation(u64);

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Names(Vec<String>);

    #[test]
    fn each_type_has_its_value_and_what_was_not_set_its_default() {
        let mut own = OwnSettings::default();
        own.set(Rotation(3));
        own.set(Names(vec!["a".to_owned()]));
        own.set(Rotation(4));
        assert_eq!((own.of::<Rotation>(), own.of::<Names>()), (Rotation(4), Names(vec!["a".to_owned()])));
        assert_eq!(OwnSettings::default().of::<Rotation>(), Rotation(0));
        let refused = own.change(|order: &mut Rotation| {
            order.0 = 9;
            Err("too many")
        });
        assert_eq!((refused, own.of::<Rotation>()), (Err("too many"), Rotation(4)));
    }

    #[test]
    fn settings_are_equal_if_their_values_are_whichever_were_given() {
        let given = |values: &[u64]| {
            let mut own = OwnSettings::default();
            values.iter().for_each(|value| own.set(Rotation(*value)));
            own
        };
        assert_eq!(given(&[]), given(&[0]));
        assert_eq!(given(&[5, 3]), given(&[3]));
        assert_ne!(given(&[]), given(&[1]));
        assert_ne!(given(&[1]), given(&[]));
    }
}
