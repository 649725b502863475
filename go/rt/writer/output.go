package writer

import (
	"io"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Output is where messages are written to: a *Buffer, *FixedBuffer, *HeapBuffer or *ChunkWriter, or the result of
// their method Delimited. Generated functions NewFooWriter open a message on it. To open a second one meanwhile is
// wire.HandleMisuse.
type Output interface {
	open() Message
	complete() error
}

// Open opens a message. It serves generated code. For a nil output it returns the zero handle.
func Open(out Output) Message {
	if out == nil {
		return Message{}
	}
	return out.open()
}

// delimited opens length-prefixed messages.
type delimited struct{ s *stream }

func (d delimited) open() Message   { return d.s.openDelimited() }
func (d delimited) complete() error { return ErrSeveral }

// smallest is the smallest size of a Buffer's memory.
const smallest = 256

// noCopy lets go vet find copies of outputs: the handles of a copy would write to the original.
type noCopy struct{}

func (noCopy) Lock()   {}
func (noCopy) Unlock() {}

// kept provides the methods that outputs which keep their chunks do not need.
type kept struct{}

func (kept) patch(chunk.Patch)                   {}
func (kept) finish(chunk.Full)                   {}
func (kept) failure() error                      { return nil }
func (kept) next(chunk.Full) (chunk.Chunk, bool) { return chunk.Chunk{}, false }
func (kept) widen(uint64, int, uint64)           {}
func (kept) grow(used, more int) ([]byte, bool)  { return nil, false }

// FixedBuffer writes into one piece of the caller's memory, up to its last byte. A field that does not fit sets the
// sticky error wire.BufferExhausted; Bytes then ends with the last whole field, and parses.
type FixedBuffer struct {
	_ noCopy
	stream
}

// NewFixedBuffer returns a buffer over memory. Do not change the memory while you use the buffer or the result of
// Bytes.
func NewFixedBuffer(memory []byte, policy chunk.LengthPolicy) *FixedBuffer {
	b := &FixedBuffer{}
	b.ready(policy)
	b.Reset(memory)
	return b
}

// ready makes the zero FixedBuffer usable. It returns false if the FixedBuffer is nil.
func (b *FixedBuffer) ready(policy chunk.LengthPolicy) bool {
	return b != nil && (b.backing != nil || b.prepare(policy))
}

//go:noinline
func (b *FixedBuffer) prepare(policy chunk.LengthPolicy) bool {
	b.single, b.keeps = true, true
	b.start(kept{}, policy)
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

// Reset discards the contents and continues in memory, which may be the same as before. Open handles become stale.
func (b *FixedBuffer) Reset(memory []byte) {
	if b.ready(chunk.Compact) {
		b.restart(chunk.Chunk{Data: memory})
	}
}

// Bytes returns the bytes written.
func (b *FixedBuffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.chunk[:b.at]
}

// Status returns the sticky error (a wire.Code) and the number of bytes of the last message that parse: all of them
// if there is no error. While a message is open the error is ErrUnfinished, which does not stick, and validLen is 0.
func (b *FixedBuffer) Status() (validLen int64, err error) {
	if !b.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return b.status()
}

// Delimited makes the next message one of a delimited stream: length-prefixed.
func (b *FixedBuffer) Delimited() Output {
	if !b.ready(chunk.Compact) {
		return delimited{}
	}
	return delimited{&b.stream}
}

// Buffer is a slice that grows. The zero Buffer is ready to use. Keep one for each goroutine and Reset it: once it
// has grown it allocates no more.
type Buffer struct {
	_ noCopy
	stream
	growing growing
}

// NewBuffer returns a buffer that starts with the caller's memory (up to its capacity) and allocates larger memory
// when that is full.
func NewBuffer(memory []byte, policy chunk.LengthPolicy) *Buffer {
	b := &Buffer{}
	b.ready(policy)
	b.restart(chunk.Chunk{Data: memory[:cap(memory)]})
	return b
}

// ready makes the zero Buffer usable. It returns false if the Buffer is nil.
func (b *Buffer) ready(policy chunk.LengthPolicy) bool {
	return b != nil && (b.backing != nil || b.prepare(policy))
}

//go:noinline
func (b *Buffer) prepare(policy chunk.LengthPolicy) bool {
	b.single, b.keeps = true, true
	b.growing.s = &b.stream
	b.start(&b.growing, policy)
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

// Reset discards the contents and keeps the memory. Open handles become stale.
func (b *Buffer) Reset() {
	if b.ready(chunk.Compact) {
		debugSoil(b.chunk)
		b.restart(chunk.Chunk{Data: b.chunk})
	}
}

// Bytes returns the bytes written. They are valid until the next call on the buffer or on a handle.
func (b *Buffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.chunk[:b.at]
}

// Status is like that of FixedBuffer.
func (b *Buffer) Status() (validLen int64, err error) {
	if !b.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return b.status()
}

// Delimited makes the next message one of a delimited stream: length-prefixed.
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

// ChunkWriter writes to a chunk.Source, whose chunks leave. The zero ChunkWriter has no source, so its first byte is
// wire.BufferExhausted.
type ChunkWriter struct {
	_ noCopy
	stream
	source leaving
}

// NewChunkWriter returns an output that writes to source.
func NewChunkWriter(source chunk.Source, policy chunk.StreamPolicy) *ChunkWriter {
	w := &ChunkWriter{}
	failer, _ := source.(chunk.Failer)
	w.source = leaving{source: source, failer: failer}
	w.ready(chunk.LengthPolicy(min(policy, chunk.StreamFixed4)))
	return w
}

// ready makes the zero ChunkWriter usable. It returns false if the ChunkWriter is nil.
func (w *ChunkWriter) ready(policy chunk.LengthPolicy) bool {
	if w == nil {
		return false
	}
	if w.backing == nil {
		w.start(&w.source, policy)
	}
	return true
}

// NewIOWriter returns an output that writes to an io.Writer through chunks of 4 KiB: see chunk.IOSource.
func NewIOWriter(out io.Writer) *ChunkWriter {
	return NewChunkWriter(chunk.NewIOSource(out, 4096), chunk.StreamCompact)
}

func (w *ChunkWriter) open() Message {
	if !w.ready(chunk.Compact) {
		return Message{}
	}
	return w.openRoot()
}

// complete always fails: the bytes have left.
func (w *ChunkWriter) complete() error { return wire.HandleMisuse }

// Status is like that of FixedBuffer.
func (w *ChunkWriter) Status() (validLen int64, err error) {
	if !w.ready(chunk.Compact) {
		return 0, wire.HandleMisuse
	}
	return w.status()
}

// Delimited makes the next message one of a delimited stream: length-prefixed. Such messages share chunks; Flush
// passes on the last chunk.
func (w *ChunkWriter) Delimited() Output {
	if !w.ready(chunk.Compact) {
		return delimited{}
	}
	return delimited{&w.stream}
}

// Flush passes the rest of a delimited stream to the source, and returns the sticky error. While a message is open it
// returns wire.HandleMisuse.
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

// Reset clears the error; open handles become stale. The source keeps all bytes that it has received.
func (w *ChunkWriter) Reset() {
	if !w.ready(chunk.Compact) {
		return
	}
	if w.isOpen() {
		w.misuse()
	}
	w.code = 0
}

// leaving wraps the user's source, or none.
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
