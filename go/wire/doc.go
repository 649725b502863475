// Package wire is the lowest layer of hotpb: tags, varints, fixed-width values,
// lengths, groups, UTF-8, delimited streams, and the list of errors.
//
// Readers take the whole input and a position in it, and return the position
// behind what they read. A negative position is a failure: the [Code] that
// [Failed] gives for it says what is wrong. Nothing here panics on any input,
// and nothing allocates but the errors of [Check] and the stream reader's
// buffer.
//
//	for i := 0; i < len(b); {
//		tag, next := wire.ReadTag(b, i)
//		if next < 0 {
//			return wire.Failed(next)
//		}
//		…
//	}
//
// Code that is written by hand is safer with [Encoder] and [Decoder], which keep
// position, limits and error; [Find] reads one field deep inside of a message.
//
// The contract is spec/wire.md and spec/errors.md. The package imports nothing
// but the standard library.
package wire
