package writer_test

import (
	"io"
	"testing"

	"github.com/hotpb/hotpb/go/chunk"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"
)

// ring is a source with two alternating chunks.
type ring struct {
	memory [2][256]byte
	next   uint64
}

func (r *ring) Next(chunk.Full) (chunk.Chunk, bool) {
	r.next++
	return chunk.Chunk{ID: r.next, Data: r.memory[r.next%2][:]}, true
}
func (r *ring) Patch(chunk.Patch) {}
func (r *ring) Finish(chunk.Full) {}

// WTR-1
func TestNothingAllocatesInSteadyState(t *testing.T) {
	var buffer writer.Buffer
	heap := writer.NewHeapBuffer(writer.HeapOptions{FirstChunk: 64, LargestChunk: 128})
	minimal := writer.NewHeapBuffer(writer.HeapOptions{FirstChunk: 64, LargestChunk: 128, Policy: chunk.Minimal})
	memory := make([]byte, 2000)
	fixed := writer.NewFixedBuffer(memory, chunk.Compact)
	file := writer.NewChunkWriter(chunk.NewIOSource(io.Discard, 128), chunk.StreamCompact)
	stream := writer.NewChunkWriter(&ring{}, chunk.StreamFixed4)
	write := func(out writer.Output, want error) {
		w := p2.NewAllWriter(out)
		fill(w)
		if err := w.End(); err != want {
			t.Fatal(err)
		}
	}
	for name, call := range map[string]func(){
		"a slice that grows": func() { buffer.Reset(); write(&buffer, nil); sink += len(buffer.Bytes()) },
		"a chain of chunks":  func() { heap.Reset(); write(heap, nil); sink += len(heap.Chunks()) },
		"policy minimal":     func() { minimal.Reset(); write(minimal, nil); sink += len(minimal.Chunks()) },
		"memory of ours":     func() { fixed.Reset(memory); write(fixed, nil) },
		"an io.Writer":       func() { write(file, nil) },
		"a source":           func() { write(stream, nil) },
		"delimited":          func() { write(file.Delimited(), nil); must(file.Flush()) },
		"exhaustion":         func() { fixed.Reset(memory[:300]); write(fixed, wire.BufferExhausted) },
		"misuse": func() {
			fixed.Reset(memory)
			w := p3.NewChildWriter(fixed)
			c := w.SetChild()
			w.SetId(1)
			c.SetId(2)
			if w.End() != wire.HandleMisuse {
				t.Fatal("not noticed")
			}
		},
		"functions and pieces": func() {
			buffer.Reset()
			w := p3.NewChildWriter(&buffer)
			name := []byte("captured")
			w.SetChildWith(func(c p3.ChildWriter) {
				c.SetNameParts(name, name)
				c.SetChildWith(func(c p3.ChildWriter) { c.SetName(string(name[:1])) })
			})
			must(w.End())
		},
	} {
		call()
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// sink keeps results alive.
var sink int
