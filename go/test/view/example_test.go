package view_test

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// appendMessage returns an encoded raft message with two entries.
func appendMessage() []byte {
	return join(varint(1, 3), varint(2, 1), varint(3, 2), varint(4, 9),
		message(7, varint(2, 9), varint(3, 100), text(4, "set x")),
		message(7, varint(2, 9), varint(3, 101), text(4, "set y")))
}

// Open a message once; accessors decode the fields that you read.
func Example() {
	var m rafthot.MessageView
	if err := m.Decode(appendMessage()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Type(), "term", m.Term(), "snapshot:", m.HasSnapshot())
	for e, err := range m.Entries() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %s\n", e.Index(), e.Data())
	}
	// Output:
	// MESSAGE_APPEND term 9 snapshot: false
	// 100 set x
	// 101 set y
}

// An iterator is a value: a copy keeps the position, and one view serves all elements.
func ExampleMessages() {
	var m rafthot.MessageView
	if err := m.Decode(appendMessage()); err != nil {
		fmt.Println(err)
		return
	}
	var e rafthot.EntryView
	for entries := m.EntriesIter(); entries.Next(); {
		if err := e.OpenElement(&entries); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Index())
	}
	// Output:
	// 100
	// 101
}

// Damaged input is an error with a code, an offset and a path.
func Example_damaged() {
	input := appendMessage()
	var m rafthot.MessageView
	err := m.Decode(input[:len(input)-3])
	fmt.Println(errors.Is(err, wire.Truncated))
	fmt.Println(err)
	// Output:
	// true
	// hotpb: Truncated at byte 23: entries[1]
}

// Limits are options of the call.
func Example_limits() {
	var m rafthot.MessageView
	err := m.DecodeWith(appendMessage(), view.Options{MaxSize: 16})
	fmt.Println(err)
	// Output:
	// hotpb: SizeExceeded at byte 0
}

// Read extensions through their handles.
func Example_extension() {
	var v vectors_proto2hot.AllView
	if err := v.Decode(varint(1001, 7)); err != nil {
		fmt.Println(err)
		return
	}
	n, err := vectors_proto2hot.E_ExtInt32.Get(&v)
	fmt.Println(n, err, vectors_proto2hot.E_ExtString.Has(&v))
	// Output:
	// 7 <nil> false
}
