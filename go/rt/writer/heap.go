package writer

import (
	"math"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// HeapOptions say how a HeapBuffer grows. Zero values select the defaults.
type HeapOptions struct {
	Policy       chunk.LengthPolicy
	FirstChunk   int   // bytes; 4096 by default, at least chunk.MinSize
	LargestChunk int   // bytes; chunks double up to it, 32768 by default
	Limit        int64 // bytes of all chunks together; beyond it the error is wire.BufferExhausted. 0 means no limit
}

// HeapBuffer is a chain of chunks that never move: large messages grow without being copied. The zero HeapBuffer is
// ready to use. Keep one for each goroutine and Reset it: it keeps its chunks, and once it has grown it allocates no
// more.
type HeapBuffer struct {
	_ noCopy
	stream
	heap heap
}

// NewHeapBuffer returns a buffer with options.
func NewHeapBuffer(options HeapOptions) *HeapBuffer {
	b := &HeapBuffer{}
	b.ready(options)
	return b
}

// ready makes the zero HeapBuffer usable. It returns false if the HeapBuffer is nil.
func (b *HeapBuffer) ready(o HeapOptions) bool { return b != nil && (b.backing != nil || b.prepare(o)) }

func (b *HeapBuffer) prepare(o HeapOptions) bool {
	if o.FirstChunk == 0 {
		o.FirstChunk = 4096
	}
	if o.LargestChunk == 0 {
		o.LargestChunk = 32768
	}
	if o.Limit == 0 {
		o.Limit = math.MaxInt64
	}
	b.heap.options = o
	b.keeps = true
	b.start(&b.heap, o.Policy)
	return true
}

func (b *HeapBuffer) open() Message {
	if !b.ready(HeapOptions{}) {
		return Message{}
	}
	return b.openRoot()
}

func (b *HeapBuffer) complete() error {
	if !b.ready(HeapOptions{}) {
		return wire.HandleMisuse
	}
	return b.whole()
}

// Reset discards the contents and keeps the chunks. Open handles become stale.
func (b *HeapBuffer) Reset() {
	if !b.ready(HeapOptions{}) {
		return
	}
	b.heap.count, b.heap.held = 0, 0
	if len(b.heap.blocks) == 0 || b.heap.options.Limit < chunk.MinSize {
		b.restart(chunk.Chunk{})
		b.hasChunk = false
		return
	}
	first, _ := b.heap.next(chunk.Full{})
	b.restart(first)
}

// Chunks returns the bytes written, in pieces: the same type as net.Buffers. The result is valid until the next call
// on the buffer or on a handle. After an error it holds the bytes that parse.
func (b *HeapBuffer) Chunks() [][]byte {
	if b == nil {
		return nil
	}
	b.heap.pieces = b.heap.pieces[:0]
	for piece := range b.all {
		b.heap.pieces = append(b.heap.pieces, piece)
	}
	return b.heap.pieces
}

// AppendTo appends the bytes written to a slice.
func (b *HeapBuffer) AppendTo(dst []byte) []byte {
	for piece := range b.all {
		dst = append(dst, piece...)
	}
	return dst
}

// Size returns the number of bytes written.
func (b *HeapBuffer) Size() (size int64) {
	for piece := range b.all {
		size += int64(len(piece))
	}
	return size
}

func (b *HeapBuffer) all(yield func([]byte) bool) {
	if b == nil {
		return
	}
	left := int64(math.MaxInt64)
	if b.failed() {
		left = b.messageStart + b.validLen
	}
	for i := range b.heap.count {
		piece := b.heap.blocks[i].data[:b.heap.blocks[i].used]
		if b.hasChunk && int(b.id) == i {
			piece = b.chunk[:b.at]
		}
		piece = piece[:min(int64(len(piece)), left)]
		left -= int64(len(piece))
		if len(piece) > 0 && !yield(piece) {
			return
		}
	}
}

// Status is like that of FixedBuffer.
func (b *HeapBuffer) Status() (validLen int64, err error) {
	if !b.ready(HeapOptions{}) {
		return 0, wire.HandleMisuse
	}
	return b.status()
}

// Delimited makes the next message one of a delimited stream: length-prefixed.
func (b *HeapBuffer) Delimited() Output {
	if !b.ready(HeapOptions{}) {
		return delimited{}
	}
	return delimited{&b.stream}
}

// heap is the chain of chunks.
type heap struct {
	kept
	options HeapOptions
	blocks  []block
	count   int   // blocks in use
	held    int64 // their total size
	pieces  [][]byte
}

type block struct {
	data []byte
	used int
}

func (h *heap) next(full chunk.Full) (chunk.Chunk, bool) {
	if full.Data != nil {
		h.blocks[full.ID].used = len(full.Data)
	}
	left := h.options.Limit - h.held
	if left < chunk.MinSize {
		return chunk.Chunk{}, false
	}
	if h.count == len(h.blocks) {
		size := h.options.FirstChunk
		if n := len(h.blocks); n > 0 {
			size = min(2*len(h.blocks[n-1].data), h.options.LargestChunk)
		}
		h.blocks = append(h.blocks, block{data: make([]byte, max(size, chunk.MinSize))})
	}
	debugSoil(h.blocks[h.count].data)
	b := &h.blocks[h.count]
	b.used = 0
	data := b.data[:min(int64(len(b.data)), left)]
	h.held += int64(len(data))
	h.count++
	return chunk.Chunk{ID: uint64(h.count - 1), Data: data}, true
}

func (h *heap) patch(patch chunk.Patch) {
	copy(h.blocks[patch.ID].data[patch.Offset:], patch.Bytes[:])
}

func (h *heap) widen(id uint64, offset int, length uint64) {
	b := &h.blocks[id]
	growth := wire.SizeVarint(length) - 1
	copy(b.data[offset+1+growth:], b.data[offset+1:b.used])
	wire.AppendVarint(b.data[:offset], length)
	b.used += growth
}
