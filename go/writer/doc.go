// Package writer is the runtime of hotpb's writer face: generated FooWriter types
// that append a message to an output, field by field.
//
// A call writes its bytes at once: no struct is filled, nothing is read back, and
// in steady state nothing is allocated.
//
//	var out writer.Buffer                   // keep it for each goroutine, Reset it
//	w := demohot.NewTestMsgWriter(&out)
//	w.SetIntVal(42)
//	c := w.AddNested()                      // a nested message is written before its parent goes on
//	c.SetStrVal("foo")
//	c.End()
//	if err := w.End(); err != nil { … }     // the sticky error: BufferExhausted, HandleMisuse, SizeExceeded, …
//	send(out.Bytes())
//
// # Outputs
//
// Buffer is a slice that grows, FixedBuffer memory of yours that does not,
// HeapBuffer a chain of chunks (a net.Buffers), ChunkWriter hands chunks to a
// chunk.Source of yours or, made by NewIOWriter, to an io.Writer. Delimited of an
// output puts each message behind its length.
//
// # What is written
//
// Fields come out in the order of the calls; a singular field that is set twice is
// written twice, and the last one wins at the reader. Strings are written as they
// are: whether they are UTF-8 is not checked, so that a reader may refuse what
// was written without an error. Code generated with utf8=strict checks: such a
// string is not written and makes the sticky error wire.InvalidUtf8. Lengths of
// nested messages follow the output's chunk.LengthPolicy.
//
// # Order
//
// Going on with an outer message ends what is open inside it, and so does its End.
// A call on what has ended, and on an outer message inside the function that
// SetXWith was given, writes nothing and makes the sticky error
// wire.HandleMisuse. The zero value of a handle writes nothing, and its End is
// wire.HandleMisuse.
//
// A handle is a small value. Copies of it are one handle.
//
// # Errors
//
// An error sticks: nothing more is written until the output starts anew. What was
// written before stays and parses; Status of the output tells how many bytes of
// the message that is. Errors are wire.Codes, made without allocating.
//
// # Concurrency
//
// An output and its handles belong to one goroutine at a time.
package writer

// The versions of generated code that this runtime works with.
const (
	MinGenerated = 1
	MaxGenerated = 1
)
