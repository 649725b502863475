// Package view is the runtime of hotpb's view face: generated FooView types
// that read a message where it lies.
//
// Decode scans one message level once, checks it whole, and notes where each
// field is. Nothing else is decoded and nothing is allocated; accessors decode
// when they are called. Nested messages are opened, and checked, when asked
// for; Validate checks the whole tree at once.
//
// # The bytes are borrowed
//
// A view points into the bytes it was decoded from, and so do the strings and
// byte slices it returns: no copy is made. The bytes must not change while the
// view, or any string or slice got from it, is in use. Copy what has to live
// longer (strings.Clone, bytes.Clone).
//
// # What costs what
//
// Len and Has take one step. At, Get of a map, and the handles of extensions
// walk over what stands before: in a loop use the iterators. At takes one step
// where the elements are of fixed width and in one packed record.
//
// A nested message that came in several records is put together when it is
// opened, in memory of its own or in scratch that OpenScratch is given.
// CheckInitialized keeps the keys of maps whose values can miss required fields.
// Nothing else allocates but errors.
//
// # Concurrency
//
// Reading changes nothing in a view, so any number of goroutines may read one.
// A position lives in an iterator, which is a plain value: copying it keeps the
// place, and every goroutine has its own.
//
// # Damaged input
//
// A damaged message is an error value where it is opened, with the code, offset
// and path of spec/errors.md; nothing panics. Offsets count from the first byte
// of the message that was opened. The zero view is an empty message.
//
// The types Raw, Sub, Span, Run and Choice and their methods serve generated
// code; users meet Message, Messages, the iterators and UnknownField.
package view
