package hotpb

import (
	"errors"
	"reflect"
)

// The reasons why a message or an extension was rejected. Compare them with errors.Is; errors.As with an [*Error]
// finds the type and the package to import.
var (
	// ErrNil: the message is nil, or a nil pointer.
	ErrNil = errors.New("the message is nil")
	// ErrNotMessage: no runtime knows the type as a message, and it has no methods that replace a runtime.
	ErrNotMessage = errors.New("not a protobuf message")
	// ErrNotLinked: the message's runtime is known but not part of the program.
	ErrNotLinked = errors.New("the runtime of this message is not linked")
	// ErrNoRuntime: the type has methods for its encoding, but no runtime for anything else.
	ErrNoRuntime = errors.New("no runtime for this message")
	// ErrExtension: the argument is not an extension, it belongs to another runtime or another message, or its value
	// has the wrong type.
	ErrExtension = errors.New("not an extension of this message")
	// ErrMissingExtension: the extension is not set, and its declaration has no default.
	ErrMissingExtension = errors.New("the extension is not set")
)

// Error reports that the package cannot work with a message, or with an extension of it.
type Error struct {
	Type    reflect.Type // of the argument; nil for a nil interface
	Runtime string       // the import path of the runtime's package, where it is known
	Import  string       // the package to import, for ErrNotLinked
	Detail  string       // details, or empty
	Err     error        // one of the errors above, or the cause
}

// Error returns a text like "hotpb: *acme.Event: the runtime of this message is not linked: …".
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// NewExtensionError is for runtimes: it returns an [ErrExtension] or [ErrMissingExtension] about an extension of msg.
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
