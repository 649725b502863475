package pool

import (
	"cmp"

	rt "github.com/hotpb/hotpb/go/rt/pool"
)

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of any
// other version does not compile.
const (
	MinGenerated = rt.MinGenerated
	MaxGenerated = rt.MaxGenerated
)

// Message is the interface that generated messages implement for the functions of this package. It has the method Reset,
// and one for generated code.
type Message = rt.Message

// Encodable is a message that can be encoded because none of its fields are dropped: it has the method
//
//	MarshalWith(dst []byte, o MarshalOptions) ([]byte, error)
type Encodable = rt.Encodable

// Options are the limits and rules of one decode. The zero value has the defaults of spec/wire.md.
//
//	Mode          Mode  who owns the memory of the message
//	Strict        bool  check every string, including those that the schema leaves unchecked
//	AllowPartial  bool  accept messages with missing required fields
//	MaxDepth      int   levels of messages, groups and map entries below the root; 0 means 100, negative none; at most 1000
//	MaxSize       int   bytes of a message; 0 means 2^31 − 1, which is also the maximum
//	MaxElements   int   repeated elements, nested messages, groups and map entries, all together; 0 means no limit, negative
//	                    none. With a limit, nothing of a message that exceeds it is stored
//	MaxMemory     int   bytes that the message may need in addition to the copy of its input; 0 means 8 MiB or 32 times
//	                    the input, whichever is more
type Options = rt.Options

// Mode is the owner of a decoded message's memory.
type Mode = rt.Mode

// The modes. Unmarshal has a variant for each.
const (
	Reuse Mode = rt.Reuse // the message owns it and its next decode reuses it: Unmarshal
	Alias Mode = rt.Alias // the same, but strings and bytes point into the input: UnmarshalAlias
	Owned Mode = rt.Owned // freshly allocated and never reused: UnmarshalOwned
)

// MarshalOptions are the rules of one encoding.
//
//	Deterministic  bool  write maps by key: equal messages encode to equal bytes
//	Strict         bool  reject strings that are not UTF-8, including those that the schema leaves unchecked
//	AllowPartial   bool  write messages with missing required fields
type MarshalOptions = rt.MarshalOptions

// Unmarshal decodes b into m and replaces the contents of m. After an error m is empty.
func Unmarshal(m Message, b []byte, o Options) error { return rt.Unmarshal(m, b, o) }

// UnmarshalUnchecked is Unmarshal without a check that strings are UTF-8, whatever the schema and o.Strict say; it
// checks everything else. Use it for bytes that have been checked before, or that come from a trusted writer: strings
// of the message then hold whatever the input held. On remote-write requests it is 1.4 times as fast
// (BenchmarkDecode, with Alias).
func UnmarshalUnchecked(m Message, b []byte, o Options) error { return rt.UnmarshalUnchecked(m, b, o) }

// UnknownFields iterates over the unknown fields of a message, in their order:
//
//	for it := m.UnknownFields(); it.Next(); {
//		out = it.Field().Append(out)
//	}
//
// Without(extensions...) leaves out the records of these extensions.
type UnknownFields = rt.UnknownFields

// UnknownField is a record that the schema does not define, a record of an extension, or an undefined value of a closed
// enum. Number and Type are those of its tag. Append appends the record with its tag to a slice, and Raw returns it; it is
// valid as long as the message's other bytes are.
type UnknownField = rt.UnknownField

// SortedMap is a map field in code that was generated with maps=sorted: a list of entries by ascending key, strings by
// their bytes. Its entries stand side by side in memory that is reused. The zero value is an empty map. A copy of a
// SortedMap is the same map, as with Go's own maps; several readers may use it at once.
//
//	Len() int                          the number of entries
//	At(i int) (key K, value V)         the entry at index i, 0 to Len()-1
//	All() iter.Seq2[K, V]              the entries by key. Do not change the map meanwhile
//	Get(key K) (value V, has bool)     a binary search
//	Set(key K, value V)                puts an entry, or replaces the one with the same key; moves the entries after the key
//	Delete(key K) bool                 removes an entry, and reports whether there was one
type SortedMap[K cmp.Ordered, V any] = rt.SortedMap[K, V]

// BoolMap is a SortedMap whose keys are bools: false comes before true.
type BoolMap[V any] = rt.BoolMap[V]
