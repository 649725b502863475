package writer

import "github.com/hotpb/hotpb/go/rt/wire"

// Incomplete is a reason why an output cannot be sent as one message. errors.Is treats it as wire.HandleMisuse.
type Incomplete string

// The reasons. Package writer has them as errors.
const (
	ErrUnfinished Incomplete = "hotpb: the message is not finished: its End was not called"
	ErrSeveral    Incomplete = "hotpb: the output holds several messages, or delimited ones"
)

func (e Incomplete) Error() string { return string(e) }
func (Incomplete) Unwrap() error   { return wire.HandleMisuse }

// Complete reports why an output does not hold one finished message: its sticky error, ErrUnfinished or ErrSeveral.
// For a nil output, and for a ChunkWriter, whose bytes have left, it returns wire.HandleMisuse. An output on which no
// message was opened holds the empty message.
func Complete(out Output) error {
	if out == nil {
		return wire.HandleMisuse
	}
	return out.complete()
}

// whole is Complete for an output that keeps its chunks.
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
