package writer

import (
	"io"

	"github.com/hotpb/hotpb/go/chunk"
)

// Output is where messages are written to: a *Buffer, *FixedBuffer, *HeapBuffer or
// *ChunkWriter, or what Delimited of one of these gives. Generated functions
// NewFooWriter open a message on it. While that is open a second one is
// wire.HandleMisuse.
type Output interface {
	open() Message
}

// Open opens a message. It serves generated code.
func Open(out Output) Message { return out.open() }

// delimited opens messages behind their lengths.
type delimited struct{ s *stream }

func (d delimited) open() Message { return d.s.openDelimited() }

// smallest is the room that a Buffer makes at least.
const smallest = 256

// noCopy lets go vet find outputs that are copied: their handles would write to the first one.
type noCopy struct{}

func (noCopy) Lock()   {}
func (noCopy) Unlock() {}

// kept is what outputs that keep their chunks have no use for.
type kept struct{}

func (kept) patch(chunk.Patch)                   {}
func (kept) finish(chunk.Full)                   {}
func (kept) failure() error                      { return nil }
func (kept) next(chunk.Full) (chunk.Chunk, bool) { return chunk.Chunk{}, false }
func (kept) widen(uint64, int, uint64)           {}
func (kept) grow(used, more int) ([]byte, bool)  { return nil, false }

// FixedBuffer is one piece of the caller's memory, which is filled to its last
// byte. What does not fit makes the sticky error wire.BufferExhausted; Bytes then
// ends with the last whole field, and parses.
type FixedBuffer struct {
	_ noCopy
	stream
}

// NewFixedBuffer makes a buffer over memory that the caller leaves alone until Bytes has been taken.
func NewFixedBuffer(memory []byte, policy chunk.LengthPolicy) *FixedBuffer {
	b := &FixedBuffer{}
	b.single, b.keeps = true, true
	b.start(kept{}, policy)
	b.Reset(memory)
	return b
}

func (b *FixedBuffer) open() Message { return b.openRoot() }

// Reset starts anew, in the same memory or in another. Open handles become stale.
func (b *FixedBuffer) Reset(memory []byte) { b.restart(chunk.Chunk{Data: memory}) }

// Bytes is what was written.
func (b *FixedBuffer) Bytes() []byte { return b.chunk[:b.at] }

// Status gives the sticky error (a wire.Code) and how many bytes of the last
// message parse: all of it when there is none.
func (b *FixedBuffer) Status() (validLen int64, err error) { return b.status() }

// Delimited makes the next message one of a delimited stream, behind its length.
func (b *FixedBuffer) Delimited() Output { return delimited{&b.stream} }

// Buffer is a slice that grows. The zero Buffer is ready to use; keep one for
// each goroutine and Reset it: a buffer that has grown allocates no more.
type Buffer struct {
	_ noCopy
	stream
	growing growing
}

// NewBuffer makes a buffer that starts with memory of the caller's (from its first
// byte to its capacity) and takes larger memory when that is full.
func NewBuffer(memory []byte, policy chunk.LengthPolicy) *Buffer {
	b := &Buffer{}
	b.ready(policy)
	b.restart(chunk.Chunk{Data: memory[:cap(memory)]})
	return b
}

func (b *Buffer) ready(policy chunk.LengthPolicy) {
	if b.back == nil {
		b.single, b.keeps = true, true
		b.growing.s = &b.stream
		b.start(&b.growing, policy)
	}
}

func (b *Buffer) open() Message {
	b.ready(chunk.Compact)
	return b.openRoot()
}

// Reset starts anew and keeps the memory. Open handles become stale.
func (b *Buffer) Reset() {
	b.ready(chunk.Compact)
	b.restart(chunk.Chunk{Data: b.chunk})
}

// Bytes is what was written, valid until the next call on the buffer or on a handle.
func (b *Buffer) Bytes() []byte { return b.chunk[:b.at] }

// Status is as that of FixedBuffer.
func (b *Buffer) Status() (validLen int64, err error) { return b.status() }

// Delimited makes the next message one of a delimited stream, behind its length.
func (b *Buffer) Delimited() Output {
	b.ready(chunk.Compact)
	return delimited{&b.stream}
}

// growing is the backing of a Buffer.
type growing struct {
	kept
	s *stream
}

func (g *growing) grow(used, more int) ([]byte, bool) {
	larger := make([]byte, max(2*len(g.s.chunk), used+more+smallest))
	copy(larger, g.s.chunk[:used])
	return larger, true
}

// ChunkWriter writes to a chunk.Source, whose chunks leave.
type ChunkWriter struct {
	_ noCopy
	stream
	source leaving
}

// NewChunkWriter makes an output over a source.
func NewChunkWriter(source chunk.Source, policy chunk.StreamPolicy) *ChunkWriter {
	w := &ChunkWriter{}
	failer, _ := source.(chunk.Failer)
	w.source = leaving{source: source, failer: failer}
	w.start(&w.source, chunk.LengthPolicy(min(policy, chunk.StreamFixed4)))
	return w
}

// NewIOWriter makes an output over an io.Writer, through chunks of 4 KiB: see chunk.IOSource.
func NewIOWriter(out io.Writer) *ChunkWriter {
	return NewChunkWriter(chunk.NewIOSource(out, 4096), chunk.StreamCompact)
}

func (w *ChunkWriter) open() Message { return w.openRoot() }

// Status is as that of FixedBuffer.
func (w *ChunkWriter) Status() (validLen int64, err error) { return w.status() }

// Delimited makes the next message one of a delimited stream, behind its length.
// Such messages share chunks; Flush hands the last one over.
func (w *ChunkWriter) Delimited() Output { return delimited{&w.stream} }

// Flush hands over what a delimited stream holds, and gives the sticky error.
// While a message is open it is wire.HandleMisuse.
func (w *ChunkWriter) Flush() error {
	if w.isIdle() {
		w.finishRoot()
	} else if w.isOpen() {
		w.misuse()
	}
	if err := w.source.failure(); err != nil {
		return err
	}
	return w.err()
}

// Reset forgets the error; open handles become stale. What the source has already, it keeps.
func (w *ChunkWriter) Reset() {
	if w.isOpen() {
		w.misuse()
	}
	w.code = 0
}

// leaving is a source of the user's.
type leaving struct {
	kept
	source chunk.Source
	failer chunk.Failer
}

func (l *leaving) next(full chunk.Full) (chunk.Chunk, bool) { return l.source.Next(full) }
func (l *leaving) patch(patch chunk.Patch)                  { l.source.Patch(patch) }
func (l *leaving) finish(last chunk.Full)                   { l.source.Finish(last) }

func (l *leaving) failure() error {
	if l.failer == nil {
		return nil
	}
	return l.failer.Err()
}
