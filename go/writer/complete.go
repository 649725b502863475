package writer

import "github.com/hotpb/hotpb/go/wire"

// What keeps an output from being sent as one message. Both are wire.HandleMisuse to errors.Is.
var (
	// ErrUnfinished: a message is open, so that its lengths are not all written. Call its End.
	ErrUnfinished error = incomplete("hotpb: the message is not finished: its End was not called")
	// ErrSeveral: the output holds several messages, or delimited ones, which are no message.
	ErrSeveral error = incomplete("hotpb: the output holds several messages, or delimited ones")
)

type incomplete string

func (e incomplete) Error() string { return string(e) }
func (incomplete) Unwrap() error   { return wire.HandleMisuse }

// Complete says why an output does not hold one message that is finished: its
// sticky error, ErrUnfinished, ErrSeveral; of a ChunkWriter, whose bytes are
// elsewhere, and of a nil output it is wire.HandleMisuse. An output on which
// nothing was opened holds the empty message.
func Complete(out Output) error {
	if out == nil {
		return wire.HandleMisuse
	}
	return out.complete()
}

// whole is Complete of an output that keeps its chunks.
func (s *stream) whole() error {
	switch {
	case s.failed():
		return s.code
	case s.isOpen() && !s.isIdle():
		return ErrUnfinished
	case s.framed || s.messageStart != 0:
		return ErrSeveral
	}
	return nil
}
