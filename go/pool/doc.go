// Package pool is the runtime of the pool face: what generated messages, plain
// Go structs, stand on. A message is decoded whole, into memory that it keeps
// and uses again:
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
// # Whose memory it is
//
// Unmarshal copies the input once, into a block of the message's own, and
// strings point into that block. UnmarshalAlias makes no copy: strings point
// into the input, which must not change while the message is in use. After
// either, everything in the message (strings, slices, maps, nested messages) is
// valid until the next decode into the same message, which overwrites it: what
// must live longer is copied, with strings.Clone or the message's own Clone.
// UnmarshalOwned takes fresh memory that belongs to nobody else, so what it gives
// may be kept.
//
// A message must not be used by several goroutines while one of them changes
// it; reading and encoding, together, are no change. A copy of the struct shares
// the original's memory, as a copy of a slice does.
//
// # Shape
//
// A field without presence is a plain exported field, and so are repeated
// fields and maps. A field that has presence (proto2, proto3 optional, editions,
// messages) has accessors, so that no value can be set without its presence:
// GetX, HasX, SetX, ClearX, for messages MutableX instead of SetX. GetX of an
// absent message is nil. A oneof is a number, WhichX, one scalar that all its
// numeric members share, and its other members.
//
// # Methods of every message
//
//	Unmarshal, UnmarshalAlias, UnmarshalOwned, UnmarshalWith   in place of what the message held; after an error it is empty
//	Marshal               into memory of its own, of the exact size
//	MarshalAppend         appended to a slice; nothing after the result is touched. MarshalWith has options
//	MarshalScratch        the same, with all of the slice's capacity as scratch, which is overwritten
//	MarshalToSizedBuffer  into the end of a buffer, all of which may be overwritten; BufferExhausted when it is too small
//	Size, Equal, Clone    NaN is equal to NaN, unknown fields are compared byte by byte; a clone shares nothing
//	Reset                 empties the message, and keeps its memory for the next decode
//	UnknownFields, SetUnknownFields   extensions included; records are checked as to their form, and borrowed
//	KeptMemory, Shrink    what is kept for the next decode, and how to give back more than a limit
//
// MarshalScratch and MarshalToSizedBuffer are fastest with 64 bytes more than the message takes.
//
// # Straight and by table
//
// A message of at most 16 fields has code of its own, wider ones and those that only options hold are read and written
// by a loop of this package that goes by a table. The options hot= and cold= of the generator choose otherwise. Results,
// errors and names are the same.
//
// # For generated code
//
// Users meet Options, MarshalOptions, Mode, Message, Unmarshal, UnmarshalUnchecked, UnknownFields, SortedMap, BoolMap and
// Entry. All else in this package serves generated code. So do, in generated packages, the names that end in Hot, HotTable,
// HotLayout and Slabs: code of one package reaches messages of another through them. Their arguments are not checked.
package pool
