package schema

import (
	"errors"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Error is something wrong with a schema, or with what was asked of one. For
// errors.Is it is its code: InvalidSchema, TypeMismatch or HandleMisuse.
type Error struct {
	Code   wire.Code
	Where  string // the message, column or enum: flows.FlowMessage.src_addr
	Reason string
}

// Error is like "hotpb: InvalidSchema: flows.FlowMessage.src_addr: number 19500 is reserved by protobuf".
func (e *Error) Error() string {
	parts := []string{"hotpb: " + e.Code.String()}
	if e.Where != "" {
		parts = append(parts, e.Where)
	}
	return strings.Join(append(parts, e.Reason), ": ")
}

// Is matches the error's code.
func (e *Error) Is(target error) bool {
	code, ok := target.(wire.Code)
	return ok && code == e.Code
}

// maxProblems bounds how much an error reports about a schema that comes from elsewhere.
const maxProblems = 100

// problems collects all that is wrong with a schema.
type problems []error

func (p *problems) add(where, reason string) {
	if len(*p) == maxProblems {
		reason = "and more is wrong"
	} else if len(*p) > maxProblems {
		return
	}
	*p = append(*p, &Error{wire.InvalidSchema, where, reason})
}

// full tells whether more than the bound is wrong: there is no use in looking further.
func (p problems) full() bool { return len(p) > maxProblems }

func (p problems) err() error { return errors.Join(p...) }

// errUnmade is the error of a nil or zero value of a type whose values a Plan or Bind makes.
func errUnmade() error {
	return &Error{wire.HandleMisuse, "", "the value is nil, or was not made by a plan"}
}
