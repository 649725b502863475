// Package wire is the lowest layer of hotpb: tags, varints, fixed-width values,
// lengths, groups, UTF-8, delimited streams, and the list of errors.
//
// Readers accept the whole input and a position in it, and return the position after the value that they read. A
// negative position is a failure: [Failed] returns the [Code] of the fault. Nothing here panics on any
// input. The only allocations are errors and the buffer of the stream reader.
//
//	for i := 0; i < len(b); {
//		tag, next := wire.ReadTag(b, i)
//		if next < 0 {
//			return wire.Failed(next)
//		}
//		…
//	}
//
// Handwritten code is safer with [Encoder] and [Decoder], which keep position, limits and error. [Find] reads one
// field deep inside a message.
//
// The contract is spec/wire.md and spec/errors.md. Generated code and the runtimes call package rt/wire, where the primitives
// and the tables of messages are; both import only the standard library.
package wire
