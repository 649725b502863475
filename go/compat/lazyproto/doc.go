// Package lazyproto reads a few fields of a message, and of the messages in it, without decoding the rest. A definition
// names the fields by their numbers; one pass over the bytes notes where they are; getters decode the values:
//
//	def := lazyproto.NewDef(1, 3)                            // fields 1 and 3
//	def.NestedTag(5, 1)                                      // and field 1 of the message in field 5
//	decoder, err := lazyproto.NewDecoder(def)                // once; goroutines may share it
//
//	result, err := decoder.Decode(data)
//	defer result.Close()
//	name, err := result.StringValue(1)
//	codes, err := result.UInt32Values(3)                     // packed or not
//	cause, err := result.FieldData(5, 1)
//
// The names are those of package lazyproto of csproto. [wire.FindMany] needs no decoder and no Close, and finds the last
// record of each path only.
//
// # What the values are
//
// XxxValue returns the last value of the field, in all parts of a message that came in several records: as a reader of the
// whole message does. XxxValues returns all of them, of a repeated field, from packed and other records, in their order.
// A record with a wire type that does not fit is an unknown field, and does not count; if no record fits, the error is a
// [*WireTypeMismatchError]. 32-bit types take the low 32 bits of a varint.
//
// NestedResult shows all records of a message field as one message: the parts of a singular field, merged. NestedResults
// shows each by itself: the elements of a repeated field.
//
// Decode checks everything on the defined paths, and all other fields as unknown fields: tags, lengths, groups, and 100
// levels of nesting. Errors are *[wire.Error] values with code and offset. Getters check the contents of packed records, and
// with [WithUTF8] the strings.
//
// # Memory
//
// In mode Safe, Decode copies the input, and getters copy strings, bytes and slices: nothing that they return changes.
// In mode Fast, strings and bytes are the input's own, which must not change while they are in use, and slices are
// valid until Close: then a decode and its getters allocate nothing once they have run with messages of that size. Only
// NestedResults and Range allocate in both modes.
//
// The records take 16 bytes for each occurrence of a defined field. Close keeps memory for the next decode, up to
// [WithMaxBufferSize]. After Close, getters of the result, and of everything that came from it, return [ErrClosed].
//
// In mode Safe goroutines may read a result at the same time.
package lazyproto
