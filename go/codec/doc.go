// Package codec has the options and errors of faces=codec: fast methods on the unchanged structs that a protobuf runtime's
// own generator wrote.
//
//	err := m.UnmarshalHot(b)                                        // in place of proto.Unmarshal(b, m)
//	err := m.UnmarshalHotOptions(b, codec.UnmarshalOptions{Alias: true})
//	b, err := m.MarshalHot()                                        // in place of proto.Marshal(m)
//	b, err = m.MarshalAppendHot(b)                                  // as append: nothing after the result is touched
//	b, err = m.MarshalScratchHot(b)                                 // all of cap(b) is scratch: for b of your own
//	b, err = m.MarshalHotOptions(b, codec.MarshalOptions{Deterministic: true}) // as append, with maps by key
//	n := m.SizeHot()                                                // in place of proto.Size(m)
//
// [Message] documents them. EncodeHot, DecodeHot and MissingHot are for generated code, which calls those of other
// packages.
//
// A decode produces the same message as the runtime, and rejects the same inputs. Errors are *[wire.Error], with the
// code, the byte offset and, in most cases, the path. After an error the message holds the fields that were read
// before it.
//
// # Memory
//
// Strings and bytes are in one copy of the input, which is allocated if the message, nested messages included, has any. So
// a decode allocates once for all of them, and each of them keeps the whole copy alive (strings.Clone detaches one). The
// unknown fields of a message are there too when they are a single record.
// With Alias they are in the input itself, which must not change while the message is in use. Children of one
// repeated field are adjacent in one allocation; in inputs of at least [CountFrom] bytes whose first fields show a long
// list of small messages, this holds for the children
// of all parents together. The values of up to eight fields that are pointers to numbers, strings or small messages
// are also in one allocation of at most 256 bytes, which is allocated when the first of them is set. Each of these values
// keeps its neighbours alive. proto.Clone copies a message but shares its strings; to detach everything, decode the
// result of MarshalHot into another message with UnmarshalHot.
//
// Encoding runs backwards into memory on the stack or scratch memory, and the result is copied once. Payloads of 1 KiB and
// more, and packed fixed-width numbers of that size, are copied directly from the message into the result, which may be the
// memory that they are in; strings that must be UTF-8 are not among them. Scratch memory is kept for the next message, up to
// [MaxScratch] bytes for each processor. MarshalScratchHot uses the room after b as scratch memory instead, and moves the
// encoding to its front. Its result has some spare capacity, which makes it the fastest call for a buffer that is used again.
//
// Generated code calls package rt/codec, which imports only this package and wire, and packages below it: google for
// structs of google.golang.org/protobuf, value for structs=value.
package codec
