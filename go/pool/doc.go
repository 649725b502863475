// Package pool is the runtime of the pool face, whose generated messages are plain Go structs. A message is decoded
// whole, into memory that it keeps and uses again:
//
//	var req prompbhot.WriteRequest // keep it, one per worker
//	for body := range bodies {
//		if err := req.Unmarshal(body); err != nil { … } // allocates nothing once warm
//		for i := range req.Timeseries {
//			ts := &req.Timeseries[i]
//			…
//		}
//	}
//
// # Who owns the memory
//
// Unmarshal copies the input once, into a block that the message owns, and strings point into that block.
// UnmarshalAlias makes no copy: strings point into the input, which must not change while the message is in use.
// After either, everything in the message (strings, slices, maps, nested messages) is valid until the next decode
// into the same message, which overwrites it. Copy anything that must live longer, with strings.Clone or the
// message's own Clone. UnmarshalOwned allocates fresh memory that nothing else uses, so you may keep its result.
//
// Do not use a message from several goroutines while one of them changes it. Several goroutines may read and encode
// it at once. A copy of the struct shares the original's memory, as a copy of a slice does.
//
// # Shape
//
// A field without presence is a plain exported field; so are repeated fields and maps. A field with presence (proto2,
// proto3 optional, editions, messages) has accessors, so that no value can be set without its presence: GetX, HasX,
// SetX, ClearX; a message has MutableX instead of SetX. GetX of an absent message returns nil. A oneof consists of a
// number, WhichX, one scalar that all its numeric members share, and its other members.
//
// # Methods of every message
//
//	Unmarshal, UnmarshalAlias, UnmarshalOwned, UnmarshalWith   replace the message's contents; after an error the message is empty
//	Marshal               returns new memory of the exact size
//	MarshalAppend         appends to a slice; changes nothing after the result. MarshalWith has options
//	MarshalScratch        the same, but overwrites all of the slice's capacity as scratch memory
//	MarshalToSizedBuffer  fills the end of a buffer and may overwrite all of it; BufferExhausted if the buffer is too small
//	Size, Equal, Clone    Equal treats NaN as equal to NaN and compares unknown fields byte by byte; a clone shares nothing
//	Reset                 empties the message, and keeps its memory for the next decode
//	UnknownFields, SetUnknownFields   include extensions; SetUnknownFields checks the form of the records and borrows them
//	KeptMemory, Shrink    report the memory kept for the next decode, and free it if it exceeds a limit
//
// A long string or bytes is copied once by each of them. MarshalToSizedBuffer is the fastest with a buffer that is kept and
// large enough for every message: nothing is sized in advance, and nothing moves. Next come MarshalScratch and MarshalAppend.
//
// # Straight and by table
//
// A message of at most 16 fields is read by code of its own, and one of at most 64 fields is written by code of its own.
// Loops of this package read and write wider messages, and messages that occur only in options, by a table. In a run that
// writes more than 200 messages, those that other messages hold, but no list or map leads to, are by table, too: code of their
// own would weigh more than it saves. The generator's options hot= and cold= override this choice. Results, errors and names
// are the same.
//
// # For generated code
//
// Generated code calls package rt/pool, where the types of this package are declared. The names in generated packages that
// end in Hot, HotTable, HotLayout and Slabs serve generated code, too: with them, code of one package reaches messages of
// another. Their arguments are not checked.
package pool
