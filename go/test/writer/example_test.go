package writer_test

import (
	"bytes"
	"fmt"
	"net"
	"os"

	"github.com/hotpb/hotpb/go/chunk"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"
)

func Example() {
	var out writer.Buffer // keep one for each goroutine
	for id := range int32(2) {
		out.Reset()
		w := p3.NewChildWriter(&out)
		w.SetId(id)
		c := w.AddChildren() // write a nested message before its parent continues
		c.SetName("foo")
		c.End()
		if err := w.End(); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%x\n", out.Bytes())
	}
	// Output:
	// 08004a051203666f6f
	// 08014a051203666f6f
}

func ExampleFixedBuffer() {
	var memory [9]byte
	out := writer.NewFixedBuffer(memory[:], chunk.Compact)
	w := p3.NewChildWriter(out)
	w.SetId(1)
	w.SetName("does not fit")
	w.SetId(2) // nothing is written after an error
	err := w.End()
	validLen, _ := out.Status()
	fmt.Println(err, err == wire.BufferExhausted, validLen)
	fmt.Printf("%x\n", out.Bytes()) // the fields before the error, which parse
	// Output:
	// hotpb: BufferExhausted true 2
	// 0801
}

func ExampleHeapBuffer() {
	var out writer.HeapBuffer
	w := p3.NewChildWriter(&out)
	for range 2000 {
		w.AddChildrenWith(func(c p3.ChildWriter) { c.SetName("large messages are not copied") })
	}
	if err := w.End(); err != nil {
		fmt.Println(err)
	}
	buffers := net.Buffers(out.Chunks()) // or conn.Write for each
	fmt.Println(out.Size(), "bytes in", len(buffers), "chunks")
	// Output: 66009 bytes in 5 chunks
}

func ExampleNewIOWriter() {
	out := writer.NewIOWriter(os.Stdout)
	for _, name := range []string{"one", "two"} {
		w := p3.NewChildWriter(out.Delimited()) // length-prefixed
		w.SetName(name + "\n")
		if err := w.End(); err != nil {
			fmt.Println(err)
		}
	}
	if err := out.Flush(); err != nil { // returns the error of the io.Writer
		fmt.Println(err)
	}
}

// network is a chunk.Source that sends chunks as soon as all lengths in them are known.
type network struct {
	sent    bytes.Buffer
	waiting map[uint64]chunk.Full
	next    uint64
}

func (n *network) Next(full chunk.Full) (chunk.Chunk, bool) {
	n.take(full)
	n.next++
	return chunk.Chunk{ID: n.next, Data: make([]byte, chunk.MinSize)}, true
}

func (n *network) Patch(patch chunk.Patch) {
	full := n.waiting[patch.ID]
	copy(full.Data[patch.Offset:], patch.Bytes[:])
	full.OpenSlots = patch.StillOpen
	n.waiting[patch.ID] = full
}

func (n *network) Finish(last chunk.Full) {
	n.take(last)
	for id := uint64(1); id <= n.next; id++ {
		n.sent.Write(n.waiting[id].Data)
	}
}

func (n *network) take(full chunk.Full) {
	if full.Data != nil {
		n.waiting[full.ID] = full
	}
}

func ExampleChunkWriter() {
	source := &network{waiting: map[uint64]chunk.Full{}}
	w := p3.NewChildWriter(writer.NewChunkWriter(source, chunk.StreamCompact))
	c := w.SetChild()
	c.SetName("a message that is longer than one of the chunks of sixty-four bytes")
	c.End()
	if err := w.End(); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%d chunks, %x...\n", source.next, source.sent.Bytes()[:8])
	// Output: 2 chunks, 1ac5808000124361...
}

func ExampleMessage_End() {
	var out writer.Buffer
	w := p3.NewChildWriter(&out)
	c := w.SetChild()
	w.SetId(1) // ends the child
	c.SetId(2) // too late: nothing is written, the error sticks
	err := w.End()
	fmt.Printf("%v %x\n", err == wire.HandleMisuse, out.Bytes())
	// Output: true 1a000801
}

func Example_fields() {
	var out writer.Buffer
	w := p2.NewAllWriter(&out)
	w.AddPackedInt32([]int32{1, 2, 3}) // packed, all at once
	packed := w.PackedPackedDouble()   // or one by one
	packed.Add(1.5)
	packed.End()
	w.SetSingleClosed(p2.Closed_CLOSED_NEGATIVE)                     // an enum's native type
	w.AddKeyString("key", "value")                                   // a map entry
	w.SetSingleStringParts([]byte("from "), []byte("pieces"))        // a string in pieces
	w.SetSingleChildRaw([]byte{0x08, 0x01})                          // a message that is already encoded
	w.SetDataWith(func(g p2.All_DataWriter) { g.SetSingleInt32(1) }) // a group
	p2.E_ExtInt32.Write(w, 7)                                        // an extension
	if err := w.End(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(out.Bytes()), p2.All_SingleClosed_Number)
	// Output: 71 17
}
