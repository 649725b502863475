package view_test

import (
	"fmt"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/view"
)

// Build a message from the top, then receive and change one; its encoding is available at all times.
func ExampleBuffer() {
	var buf view.Buffer // keep it per worker
	var m raft.MessageEdit
	m.Start(&buf)
	m.SetTerm(5)
	for n := range uint64(2) {
		e := m.AddEntries() // open until m is edited again
		e.SetIndex(n)
		e.SetData([]byte("data"))
	}
	received := append([]byte(nil), buf.Bytes()...)

	if err := m.Decode(&buf, received); err != nil { // takes the slice over
		fmt.Println(err)
		return
	}
	e, err := m.EditEntriesAt(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	e.SetData([]byte("data that is longer"))
	m.RemoveEntries(1, 2)
	fmt.Println(m.View().EntriesLen(), len(buf.Bytes()), buf.Err())
	// Output: 1 27 <nil>
}
