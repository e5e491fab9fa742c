//! Tables of weights in a profile, each with the kinds that it weighs.

macro_rules! weights {
    ($(#[$doc:meta])* $name:ident, $kind:ident { $($field:ident $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $(pub $field: u16),+ }

        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate) enum $kind { $($variant),+ }

        impl $kind {
            pub(in crate) const ALL: &[Self] = &[$(Self::$variant),+];
        }

        impl $name {
            pub(in crate) fn weights(&self) -> Vec<u16> {
                vec![$(self.$field),+]
            }
        }
    };
}

pub(super) use weights;
