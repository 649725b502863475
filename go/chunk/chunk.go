// Package chunk defines where a writer puts its bytes: into chunks of memory that a source hands out one after the
// other (spec/wire.md, section 11).
//
//	Next    →  |tag|len|........|tag|00 00 00 00|.....|   a chunk comes back with its number of open length slots
//	Next    →  |.......................................|
//	Patch   →        the four bytes of a slot of a chunk that came back, and how many are still open in it
//	Finish  →        the message is complete
//
// A consumer may take a chunk away at once, but must parse it only when its number of open slots is 0.
//
// # What the writer promises
//
// Every chunk that Next returned comes back once, through the following Next or through Finish. Every open slot is
// patched before Finish, after errors too. The writer does not touch a chunk again after it has come back. The source
// is called on the writer's goroutine, and never for a field that fits into the current chunk.
//
// # What the source promises
//
// The memory of a chunk belongs to the writer alone until the chunk comes back. The ids of the current chunk and of
// all chunks with open slots differ from one another. A source serves one writer at a time.
package chunk

// MinSize is the minimal number of bytes in a chunk: a smaller chunk goes back unused, and the source counts as
// exhausted.
const MinSize = 64

// Source hands out chunks and receives them back.
type Source interface {
	// Next returns the next chunk in exchange for the full one. In the first call there is no full one: its Data is
	// nil. Next returns false if the source is exhausted.
	Next(full Full) (Chunk, bool)

	// Patch reports a length in a chunk that has come back.
	Patch(patch Patch)

	// Finish reports that the message is complete, and returns the last chunk. Its Data is nil if nothing was
	// written.
	Finish(last Full)
}

// Failer is a Source that can fail by itself, as a file does. When a message ends, the writer returns the error of
// Err.
type Failer interface {
	Err() error
}

// Chunk is memory to write into. Its contents are arbitrary; the writer overwrites them from the front.
type Chunk struct {
	ID   uint64 // the source's own name for it
	Data []byte
}

// Full is a chunk that comes back.
type Full struct {
	ID        uint64
	Data      []byte // the bytes written, from the chunk's first byte
	OpenSlots int    // the number of lengths in it that are four zero bytes until they are patched
}

// Patch is a length that is now known.
type Patch struct {
	ID        uint64 // of a chunk that has come back
	Offset    int    // in the chunk
	Bytes     [4]byte
	StillOpen int // the number of slots of that chunk that are still open
}

// LengthPolicy says how buffers that keep all their chunks write the lengths of nested messages.
type LengthPolicy uint8

// The policies.
const (
	// Compact writes one byte for a length below 128. For a longer one it moves the contents and writes the minimal
	// form if the message is still in one chunk, else four bytes.
	Compact LengthPolicy = iota
	// Fixed4 always writes four bytes (87 80 80 00 for 7), and never moves contents.
	Fixed4
	// Minimal always writes the minimal form.
	Minimal
)

// StreamPolicy is LengthPolicy for chunks that leave. Bytes that have left cannot be moved, so there is no Minimal.
type StreamPolicy uint8

// The policies of chunks that leave.
const (
	StreamCompact = StreamPolicy(Compact)
	StreamFixed4  = StreamPolicy(Fixed4)
)
