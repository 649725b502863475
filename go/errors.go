package hotpb

import (
	"errors"
	"reflect"
)

// What is wrong with a message or extension that was handed in. Ask with
// errors.Is; errors.As with an [*Error] gives the type and what to import.
var (
	// ErrNil: the message is nil, or a nil pointer.
	ErrNil = errors.New("the message is nil")
	// ErrNotMessage: the type is no message of any runtime, and has no methods to stand in for one.
	ErrNotMessage = errors.New("not a protobuf message")
	// ErrNotLinked: the message's runtime is known but not part of the program.
	ErrNotLinked = errors.New("the runtime of this message is not linked")
	// ErrNoRuntime: the type has the methods for its encoding, but no runtime for anything else.
	ErrNoRuntime = errors.New("no runtime for this message")
	// ErrExtension: what was given as an extension is none, is one of another
	// runtime or another message, or its value has another type.
	ErrExtension = errors.New("not an extension of this message")
	// ErrMissingExtension: the extension is not set, and its declaration has no default.
	ErrMissingExtension = errors.New("the extension is not set")
)

// Error is a message, or an extension of it, that cannot be worked with.
type Error struct {
	Type    reflect.Type // of what was handed in; nil for a nil interface
	Runtime string       // the import path of the runtime's package, where it is known
	Import  string       // what to import, for ErrNotLinked
	Detail  string       // more words, or empty
	Err     error        // one of the errors above, or what made it impossible
}

// Error is like "hotpb: *acme.Event: the runtime of this message is not linked: …".
func (e *Error) Error() string {
	s := "hotpb: "
	if e.Type != nil {
		s += e.Type.String() + ": "
	}
	if e.Err != nil {
		s += e.Err.Error()
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap gives Err.
func (e *Error) Unwrap() error { return e.Err }

// NewExtensionError is for runtimes: an [ErrExtension] or [ErrMissingExtension] about an extension of msg.
func NewExtensionError(msg any, err error, detail string) error {
	return &Error{Type: reflect.TypeOf(msg), Err: err, Detail: detail}
}

func notLinked(t reflect.Type, runtime string) error {
	e := &Error{Type: t, Runtime: runtime, Import: satellites[runtime], Err: ErrNotLinked}
	if e.Import != "" {
		e.Detail = "import _ \"" + e.Import + "\", which registers " + runtime
	} else {
		e.Detail = runtime + " needs a package that calls hotpb.RegisterRuntime for it"
	}
	return e
}
