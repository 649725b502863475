//! [`Family`]: a message type without a lifetime.

use hotpb::pool::Message;

/// A message type, named without a lifetime: `for<'a> fn(&'a ()) -> Event<'a>`. You write [`Incoming![Event]`](crate::Incoming!) and
/// [`Outgoing![Event]`](crate::Outgoing!), which contain it.
///
/// A handle has a lifetime, and the compiler forgets which one it is, even `'static`, when it checks whether a future can
/// be sent to another thread. It then refuses traits that are implemented for that lifetime only, as tonic's generated
/// code has them. A function type has no lifetime to forget; nobody calls it.
pub trait Family: 'static {
    /// The message, `Event<'static>`.
    type Message: Message + 'static;
}

impl<F, M> Family for F
where
    F: Fn(&'static ()) -> M + 'static,
    M: Message + 'static,
{
    type Message = M;
}

/// The type [`Incoming`](struct@crate::Incoming) of a message: `Incoming![Event]`, `Incoming![hotpb::wkt::Empty]`.
#[macro_export]
macro_rules! Incoming {
    ($($message:tt)+) => { $crate::Incoming<for<'a> fn(&'a ()) -> $($message)+<'a>> };
}

/// The type [`Outgoing`](struct@crate::Outgoing) of a message: `Outgoing![Event]`, `Outgoing![hotpb::wkt::Empty]`.
#[macro_export]
macro_rules! Outgoing {
    ($($message:tt)+) => { $crate::Outgoing<for<'a> fn(&'a ()) -> $($message)+<'a>> };
}
