// Package writer is the runtime of hotpb's writer face: generated FooWriter types
// that append a message to an output, field by field.
//
// A call writes its bytes at once: it fills no struct, reads nothing back, and in steady state allocates nothing.
//
//	var out writer.Buffer                   // keep it for each goroutine, Reset it
//	w := demohot.NewTestMsgWriter(&out)
//	w.SetIntVal(42)
//	c := w.AddNested()                      // write a nested message before its parent continues
//	c.SetStrVal("foo")
//	c.End()
//	if err := w.End(); err != nil { … }     // the sticky error: BufferExhausted, HandleMisuse, SizeExceeded, …
//	send(out.Bytes())
//
// # The methods of a writer
//
// NewFooWriter begins a message in an output. Every writer has
//
//	End        ends the message and all messages open inside it, and returns the sticky error of the output
//	IsOpen     whether the message can still be written to
//	AppendRaw  writes encoded fields of the message as they are
//
// A field X has, as far as its kind allows,
//
//	SetX, AddX  write the field, or one of its elements or entries, or a slice of packed elements, of which an empty one
//	            writes nothing; for a message, open it, and return its writer
//	SetXParts   is SetX for a string or bytes in pieces
//	SetXWith    is SetX with a function that writes the message
//	SetXRaw     is SetX with an encoded message
//	PackedX     opens a packed field for elements one by one
//
// # Outputs
//
// Buffer is a slice that grows. FixedBuffer is your own memory, which does not grow. HeapBuffer is a chain of chunks (a
// net.Buffers). ChunkWriter passes chunks to your chunk.Source, or to an io.Writer (NewIOWriter). The method
// Delimited of an output makes each message length-prefixed.
//
// # What is written
//
// Fields are written in the order of the calls. A singular field that is set twice is written twice, and readers use
// the last one. Strings are written without checking that they are UTF-8, so a reader may reject a message that was
// written without an error. Code generated with utf8=strict checks: it does not write a malformed string, and sets
// the sticky error wire.InvalidUtf8. Lengths of nested messages follow the output's chunk.LengthPolicy.
//
// # Order
//
// A call on an outer message first ends the messages that are open inside it; so does its End. A call on a message
// that has ended writes nothing and sets the sticky error wire.HandleMisuse. So does a call on an outer message from
// within the function that was passed to SetXWith. The zero value of a handle writes nothing, and its End returns
// wire.HandleMisuse.
//
// A handle is a small value. Copies of it act as one handle.
//
// # Errors
//
// An error sticks: nothing more is written until the output is reset. The bytes written before the error stay and
// parse; Status of the output reports how many bytes of the message these are. Errors are wire.Codes and need no
// allocation.
//
// # For generated code
//
// Generated code calls package rt/writer, where the types of this package are declared.
//
// # Concurrency
//
// An output and its handles belong to one goroutine at a time.
package writer
