package writer

import (
	"io"

	"github.com/hotpb/hotpb/go/chunk"
	rt "github.com/hotpb/hotpb/go/rt/writer"
)

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of any
// other version does not compile.
const (
	MinGenerated = rt.MinGenerated
	MaxGenerated = rt.MaxGenerated
)

// Output is where messages are written to: a *Buffer, *FixedBuffer, *HeapBuffer or *ChunkWriter, or the result of their
// method Delimited. Generated functions NewFooWriter open a message on it. To open a second one meanwhile is
// wire.HandleMisuse.
type Output = rt.Output

// Buffer is a slice that grows. The zero Buffer is ready to use. Keep one for each goroutine and Reset it: once it has
// grown it allocates no more.
//
//	Bytes() []byte                             what has been written; valid until the next write
//	Reset()                                    forgets it, and the error
//	Delimited() Output                         the output that prefixes each message with its length
//	Status() (validLen int64, err error)       the bytes that parse, and the sticky error; ErrUnfinished while a message is open
type Buffer = rt.Buffer

// NewBuffer returns a buffer that starts with the caller's memory (up to its capacity) and allocates larger memory
// when that is full.
func NewBuffer(memory []byte, policy chunk.LengthPolicy) *Buffer { return rt.NewBuffer(memory, policy) }

// FixedBuffer writes into one piece of the caller's memory, up to its last byte. A field that does not fit sets the
// sticky error wire.BufferExhausted; Bytes then ends with the last whole field, and parses. Its methods are those of
// Buffer, but Reset has the next memory as its argument.
type FixedBuffer = rt.FixedBuffer

// NewFixedBuffer returns a buffer over memory. Do not change the memory while you use the buffer or the result of
// Bytes.
func NewFixedBuffer(memory []byte, policy chunk.LengthPolicy) *FixedBuffer {
	return rt.NewFixedBuffer(memory, policy)
}

// HeapBuffer is a chain of chunks that never move: large messages grow without being copied. The zero HeapBuffer is
// ready to use. Keep one for each goroutine and Reset it: it keeps its chunks, and once it has grown it allocates no
// more. In place of Buffer's Bytes it has
//
//	Chunks() [][]byte              the chunks, for net.Buffers
//	AppendTo(dst []byte) []byte    a copy of them in one slice
//	Size() int64                   the bytes in them
type HeapBuffer = rt.HeapBuffer

// HeapOptions are the sizes of a HeapBuffer. The zero value has the defaults.
//
//	Policy        chunk.LengthPolicy  for lengths of nested messages
//	FirstChunk    int                 bytes; 4096 by default, at least chunk.MinSize
//	LargestChunk  int                 bytes; chunks double up to it, 32768 by default
//	Limit         int64               bytes of all chunks together; beyond it the error is wire.BufferExhausted. 0 means no limit
type HeapOptions = rt.HeapOptions

// NewHeapBuffer returns a buffer with options.
func NewHeapBuffer(options HeapOptions) *HeapBuffer { return rt.NewHeapBuffer(options) }

// ChunkWriter writes to a chunk.Source, whose chunks leave. The zero ChunkWriter has no source, so its first byte is
// wire.BufferExhausted. Flush hands over the last chunk; Reset, Delimited and Status are those of Buffer.
type ChunkWriter = rt.ChunkWriter

// NewChunkWriter returns an output that writes to source.
func NewChunkWriter(source chunk.Source, policy chunk.StreamPolicy) *ChunkWriter {
	return rt.NewChunkWriter(source, policy)
}

// NewIOWriter returns an output that writes to an io.Writer through chunks of 4 KiB: see chunk.IOSource.
func NewIOWriter(out io.Writer) *ChunkWriter { return rt.NewIOWriter(out) }

// The reasons why an output cannot be sent as one message. errors.Is treats both as wire.HandleMisuse.
var (
	// ErrUnfinished: a message is still open, so not all its lengths are written. Call its End.
	ErrUnfinished error = rt.ErrUnfinished
	// ErrSeveral: the output holds several messages, or delimited ones, and together they are not one message.
	ErrSeveral error = rt.ErrSeveral
)

// Complete reports why an output does not hold one finished message: its sticky error, ErrUnfinished or ErrSeveral.
// For a nil output, and for a ChunkWriter, whose bytes have left, it returns wire.HandleMisuse. An output on which no
// message was opened holds the empty message.
func Complete(out Output) error { return rt.Complete(out) }

// The writers of packed fields, which PackedX of a writer opens: Add writes an element, and End ends the field and returns
// the sticky error.
type (
	PackedInt32          = rt.PackedInt32
	PackedInt64          = rt.PackedInt64
	PackedUint32         = rt.PackedUint32
	PackedUint64         = rt.PackedUint64
	PackedSint32         = rt.PackedSint32
	PackedSint64         = rt.PackedSint64
	PackedFixed32        = rt.PackedFixed32
	PackedFixed64        = rt.PackedFixed64
	PackedSfixed32       = rt.PackedSfixed32
	PackedSfixed64       = rt.PackedSfixed64
	PackedFloat          = rt.PackedFloat
	PackedDouble         = rt.PackedDouble
	PackedBool           = rt.PackedBool
	PackedEnum[E ~int32] = rt.PackedEnum[E]
)
