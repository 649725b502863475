package lazyproto

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/wire"
)

var (
	// ErrTagNotFound is the error for a field that the message does not have. It is the parent of the next two.
	ErrTagNotFound = errors.New("lazyproto: the message has no such field")
	// ErrTagNotDefined is the error for a field that the definition does not have.
	ErrTagNotDefined = fmt.Errorf("%w: the definition does not have it", ErrTagNotFound)
	// ErrNestingNotDefined is the error for a field that the definition has, but not as a message with fields.
	ErrNestingNotDefined = fmt.Errorf("%w: the definition has no fields in it", ErrTagNotFound)
	// ErrClosed is the error of a result after Close.
	ErrClosed = errors.New("lazyproto: the result is closed")
)

// WireTypeMismatchError is the error for a field whose records all have another wire type than the value asked for.
// errors.Is(err, wire.TypeMismatch) is true.
type WireTypeMismatchError struct {
	Got, Want wire.Type
}

// Error returns a text with both wire types.
func (e *WireTypeMismatchError) Error() string {
	return fmt.Sprintf("lazyproto: the field has the wire type %s, not %s", e.Got, e.Want)
}

// Is matches wire.TypeMismatch.
func (e *WireTypeMismatchError) Is(target error) bool { return target == wire.TypeMismatch }
