package writer

import (
	"io"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/wire"
)

// Output is where messages are written to: a *Buffer, *FixedBuffer, *HeapBuffer or
// *ChunkWriter, or what Delimited of one of these gives. Generated functions
// NewFooWriter open a message on it. While that is open a second one is
// wire.HandleMisuse.
type Output interface {
	open() Message
	complete() error
}

// Open opens a message. It serves generated code. A nil output gives the zero handle.
func Open(out Output) Message {
	if out == nil {
		return Message{}
	}
	return out.open()
}

// delimited opens messages behind their lengths.
type delimited struct{ s *stream }

func (d delimited) open() Message   { return d.s.openDelimited() }
func (d delimited) complete() error { return ErrSeveral }

// smallest is the room that a Buffer makes at least.
const smallest = 256

// noCopy lets go vet find outputs that are copied: their handles would write to the first one.
type noCopy struct{}

func (noCopy) Lock()   {}
func (noCopy) Unlock() {}

// kept has the calls that outputs which keep their chunks ignore.
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
	b.ready(policy)
	b.Reset(memory)
	return b
}

// ready makes the zero FixedBuffer usable. False: it is nil.
func (b *FixedBuffer) ready(policy chunk.LengthPolicy) bool {
	if b == nil {
		return false
	}
	if b.back == nil {
		b.single, b.keeps = true, true
		b.start(kept{}, policy)
	}
	return true
}

func (b *FixedBuffer) open() Message {
	if !b.ready(chunk.Compact) {
		return Message{}
	}
	return b.openRoot()
}

func (b *FixedBuffer) complete() error {
	if !b.ready(chunk.Compact) {
		return wire.HandleMisuse
	}
	return b.whole()
}

// Reset starts anew, in the same memory or in another. Open handles become stale.
func (b *FixedBuffer) Reset(memory []byte) {
	if b.ready(chunk.Compact) {
		b.restart(chunk.Chunk{Data: memory})
	}
}

// Bytes is what was written.
func (b *FixedBuffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.chunk[:b.at]
}

// Status gives the sticky error (a wire.Code) and how many bytes of the last
// message parse: all of it when there is none. While a message is open the error
// is ErrUnfinished, which does not stick, and no byte is sure to parse.
func (b *FixedBuffer) Status() (validLen int64, err error) {
	if !b.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return b.status()
}

// Delimited makes the next message one of a delimited stream, behind its length.
func (b *FixedBuffer) Delimited() Output {
	if !b.ready(chunk.Compact) {
		return delimited{}
	}
	return delimited{&b.stream}
}

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

// ready makes the zero Buffer usable. False: it is nil.
func (b *Buffer) ready(policy chunk.LengthPolicy) bool {
	if b == nil {
		return false
	}
	if b.back == nil {
		b.single, b.keeps = true, true
		b.growing.s = &b.stream
		b.start(&b.growing, policy)
	}
	return true
}

func (b *Buffer) open() Message {
	if !b.ready(chunk.Compact) {
		return Message{}
	}
	return b.openRoot()
}

func (b *Buffer) complete() error {
	if !b.ready(chunk.Compact) {
		return wire.HandleMisuse
	}
	return b.whole()
}

// Reset starts anew and keeps the memory. Open handles become stale.
func (b *Buffer) Reset() {
	if b.ready(chunk.Compact) {
		debugSoil(b.chunk)
		b.restart(chunk.Chunk{Data: b.chunk})
	}
}

// Bytes is what was written, valid until the next call on the buffer or on a handle.
func (b *Buffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.chunk[:b.at]
}

// Status is as that of FixedBuffer.
func (b *Buffer) Status() (validLen int64, err error) {
	if !b.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return b.status()
}

// Delimited makes the next message one of a delimited stream, behind its length.
func (b *Buffer) Delimited() Output {
	if !b.ready(chunk.Compact) {
		return delimited{}
	}
	return delimited{&b.stream}
}

// growing is the backing of a Buffer.
type growing struct {
	kept
	s *stream
}

func (g *growing) grow(used, more int) ([]byte, bool) {
	larger := make([]byte, max(2*len(g.s.chunk), used+more+smallest))
	debugSoil(larger)
	copy(larger, g.s.chunk[:used])
	return larger, true
}

// ChunkWriter writes to a chunk.Source, whose chunks leave. The zero ChunkWriter
// has none, so that the first byte is wire.BufferExhausted.
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
	w.ready(chunk.LengthPolicy(min(policy, chunk.StreamFixed4)))
	return w
}

// ready makes the zero ChunkWriter usable. False: it is nil.
func (w *ChunkWriter) ready(policy chunk.LengthPolicy) bool {
	if w == nil {
		return false
	}
	if w.back == nil {
		w.start(&w.source, policy)
	}
	return true
}

// NewIOWriter makes an output over an io.Writer, through chunks of 4 KiB: see chunk.IOSource.
func NewIOWriter(out io.Writer) *ChunkWriter {
	return NewChunkWriter(chunk.NewIOSource(out, 4096), chunk.StreamCompact)
}

func (w *ChunkWriter) open() Message {
	if !w.ready(chunk.Compact) {
		return Message{}
	}
	return w.openRoot()
}

// complete refuses: what was written has left.
func (w *ChunkWriter) complete() error { return wire.HandleMisuse }

// Status is as that of FixedBuffer.
func (w *ChunkWriter) Status() (validLen int64, err error) {
	if !w.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return w.status()
}

// Delimited makes the next message one of a delimited stream, behind its length.
// Such messages share chunks; Flush hands the last one over.
func (w *ChunkWriter) Delimited() Output {
	if !w.ready(chunk.Compact) {
		return delimited{}
	}
	return delimited{&w.stream}
}

// Flush hands over what a delimited stream holds, and gives the sticky error.
// While a message is open it is wire.HandleMisuse.
func (w *ChunkWriter) Flush() error {
	if !w.ready(chunk.Compact) {
		return wire.HandleMisuse
	}
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
	if !w.ready(chunk.Compact) {
		return
	}
	if w.isOpen() {
		w.misuse()
	}
	w.code = 0
}

// leaving is a source of the user's, or none.
type leaving struct {
	kept
	source chunk.Source
	failer chunk.Failer
}

func (l *leaving) next(full chunk.Full) (chunk.Chunk, bool) {
	if l.source == nil {
		return chunk.Chunk{}, false
	}
	return l.source.Next(full)
}

func (l *leaving) patch(patch chunk.Patch) { l.source.Patch(patch) }

func (l *leaving) finish(last chunk.Full) {
	if l.source != nil {
		l.source.Finish(last)
	}
}

func (l *leaving) failure() error {
	if l.failer == nil {
		return nil
	}
	return l.failer.Err()
}
