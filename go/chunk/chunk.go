// Package chunk says where a writer's bytes go: into chunks of memory that a
// source hands out one after the other (spec/wire.md, section 11).
//
//	Next    →  |tag|len|........|tag|00 00 00 00|.....|   a chunk comes back with its number of open length slots
//	Next    →  |.......................................|
//	Patch   →        the four bytes of a slot of a chunk that came back, and how many are still open in it
//	Finish  →        the message is complete
//
// A consumer may take a chunk away at once, but parses it only when its number
// of open slots is 0.
//
// # What the writer promises
//
// Every chunk that Next gave comes back once, through the following Next or
// through Finish. Every open slot is patched before Finish, after errors too. A
// chunk that came back is not touched again. The source is called on the
// writer's goroutine, and never for a field that fits into the current chunk.
//
// # What the source promises
//
// The memory of a chunk is the writer's alone until it comes back. The ids of
// the current chunk and of those with open slots differ from one another. A
// source serves one writer at a time.
package chunk

// MinSize is the number of bytes that a source gives at least: a smaller chunk
// goes back unused and counts as exhausted.
const MinSize = 64

// Source gives chunks and gets them back.
type Source interface {
	// Next gives the next chunk, in exchange for the one that is full (at first
	// there is none: its Data is nil). False: the source is exhausted.
	Next(full Full) (Chunk, bool)

	// Patch tells a length of a chunk that has come back.
	Patch(patch Patch)

	// Finish tells that the message is complete. The last chunk comes back with it;
	// its Data is nil when nothing was written.
	Finish(last Full)
}

// Failer is a Source that can fail by itself, as a file does. Ending a message
// gives the error that Err tells then.
type Failer interface {
	Err() error
}

// Chunk is memory to write into. All of it is overwritten from the front; it may hold anything.
type Chunk struct {
	ID   uint64 // the source's own name for it
	Data []byte
}

// Full is a chunk that comes back.
type Full struct {
	ID        uint64
	Data      []byte // what was written, from the chunk's first byte
	OpenSlots int    // as many lengths in it are four zero bytes until they are patched
}

// Patch is a length that is known now.
type Patch struct {
	ID        uint64 // of a chunk that has come back
	Offset    int    // in the chunk
	Bytes     [4]byte
	StillOpen int // as many slots of that chunk are open afterwards
}

// LengthPolicy is how the lengths of nested messages are written by buffers that keep all their chunks.
type LengthPolicy uint8

// The policies.
const (
	// Compact is one byte below 128; minimal, by one move, while the message is
	// still in one chunk; else four bytes.
	Compact LengthPolicy = iota
	// Fixed4 is always four bytes (87 80 80 00 for 7), and never a move.
	Fixed4
	// Minimal is always minimal.
	Minimal
)

// StreamPolicy is the same for chunks that leave: what has left cannot be moved,
// so that Minimal is not among them.
type StreamPolicy uint8

// The policies of chunks that leave.
const (
	StreamCompact = StreamPolicy(Compact)
	StreamFixed4  = StreamPolicy(Fixed4)
)
