package protozero

import (
	hot "github.com/hotpb/hotpb/go/bench/protozero/eventspb/eventspbhot"
	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/writer"
)

// newHotpb writes into one piece of memory.
func newHotpb() rival {
	memory := make([]byte, 512)
	out := writer.NewFixedBuffer(memory, chunk.Compact)
	return rival{func(depth int) ([]byte, error) {
		out.Reset(memory)
		w := hot.NewEventWriter(out)
		fill(w, depth)
		err := w.End()
		return out.Bytes(), err
	}, "one FixedBuffer, used again"}
}

// newHotpbHeap writes into a chain of chunks, of which one is needed.
func newHotpbHeap() rival {
	var out writer.HeapBuffer
	return rival{func(depth int) ([]byte, error) {
		out.Reset()
		w := hot.NewEventWriter(&out)
		fill(w, depth)
		err := w.End()
		return out.Chunks()[0], err
	}, "a chain of chunks of 4 KiB, used again"}
}

func fill(w hot.EventWriter, depth int) {
	w.SetFieldInt32(int32(inputs.numbers[0]))
	w.SetFieldUint32(uint32(inputs.numbers[1]))
	w.SetFieldInt64(int64(inputs.numbers[2]))
	w.SetFieldUint64(inputs.numbers[3])
	w.SetFieldString(inputs.text)
	if depth > 1 {
		c := w.AddFieldNested()
		fill(c, depth-1)
		c.End()
	}
}
