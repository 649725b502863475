//! JSON through serde: nothing without the feature `serde` of the runtime. A macro decides that, because features in
//! generated code are those of the program's crate.

/// Makes a handle `Serialize`.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($name:ident) => {
        impl $crate::json::__rt::Serialize for $name<'_> {
            #[inline]
            fn serialize<__S: $crate::json::__rt::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                $crate::json::__rt::Serialize::serialize(
                    &<$crate::pool::__rt::walk::AnyMessage<'_> as ::core::convert::From<_>>::from(*self),
                    serializer,
                )
            }
        }
    };
}

/// Makes a builder `Serialize` and `Deserialize`.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_builder {
    ($name:ident) => {
        impl $crate::json::__rt::Serialize for $name {
            #[inline]
            fn serialize<__S: $crate::json::__rt::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                $crate::json::__rt::write_builder(self, serializer)
            }
        }
        impl<'de> $crate::json::__rt::Deserialize<'de> for $name {
            #[inline]
            fn deserialize<__D: $crate::json::__rt::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<$name, __D::Error> {
                $crate::json::read(deserializer, &::core::default::Default::default())
            }
        }
    };
}

/// Without the feature: nothing.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($name:ident) => {};
}

/// Without the feature: nothing.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_builder {
    ($name:ident) => {};
}
