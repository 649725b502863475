package writer_test

import (
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/chunk"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/rt/writer"
	"github.com/hotpb/hotpb/go/wire"
)

// pair has two chunks.
type pair struct {
	chunks  []chunk.Chunk
	patches []chunk.Patch
}

func (p *pair) Next(chunk.Full) (chunk.Chunk, bool) {
	if len(p.chunks) == 0 {
		return chunk.Chunk{}, false
	}
	next := p.chunks[0]
	p.chunks = p.chunks[1:]
	return next, true
}
func (p *pair) Patch(patch chunk.Patch) { p.patches = append(p.patches, patch) }
func (*pair) Finish(chunk.Full)         {}

// WRT-10. The first chunk ends just below half of the limit, the second one has room for more than the other half.
func TestAMessageThatGetsTooLargeByShortFieldsInTwoChunksIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("250 MB")
	}
	const half = 1 << 27
	memory := make([]byte, 2*half-1<<21)
	source := &pair{chunks: []chunk.Chunk{{ID: 1, Data: memory[:half-1]}, {ID: 2, Data: memory}}}
	out := writer.NewChunkWriter(source, chunk.StreamCompact)
	root := p3.NewChildWriter(out)
	child := root.SetChild()
	text := strings.Repeat("x", 120)
	for range writer.MaxNested/(len(text)+2) + 1 {
		child.SetName(text)
	}
	child.End()
	if err := root.End(); err != wire.SizeExceeded {
		t.Fatalf("got %v", err)
	}
	valid, _ := out.Status()
	if valid < writer.MaxNested-200 || valid > writer.MaxNested+5 {
		t.Errorf("%d bytes are valid", valid)
	}
	if len(source.patches) != 1 {
		t.Fatalf("%d patches", len(source.patches))
	}
	length := int64(0)
	for i, b := range source.patches[0].Bytes {
		length |= int64(b&0x7f) << (7 * i)
	}
	if length != valid-5 {
		t.Errorf("length %d of %d valid bytes", length, valid)
	}
}
