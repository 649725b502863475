package schema

import (
	"errors"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Error is a fault of a schema, or of a call that uses one. For errors.Is it equals its code: InvalidSchema,
// TypeMismatch or HandleMisuse.
type Error struct {
	Code   wire.Code
	Where  string // the message, column or enum: flows.FlowMessage.src_addr
	Reason string
}

// Error returns a text like "hotpb: InvalidSchema: flows.FlowMessage.src_addr: number 19500 is reserved by
// protobuf".
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

// maxProblems limits how much an error reports about a schema from elsewhere.
const maxProblems = 100

// problems collects all faults of a schema.
type problems []error

func (p *problems) add(where, reason string) {
	if len(*p) == maxProblems {
		reason = "and there are more errors"
	} else if len(*p) > maxProblems {
		return
	}
	*p = append(*p, &Error{wire.InvalidSchema, where, reason})
}

// full reports whether the limit is reached, so that there is no use in looking further.
func (p problems) full() bool { return len(p) > maxProblems }

func (p problems) err() error { return errors.Join(p...) }

// asError returns a fault as users see it; nil if there is none.
func asError(f *plan.Fault) error {
	if f == nil {
		return nil
	}
	return (*Error)(f)
}

// errUnmade is the error of a nil or zero value whose type only a Plan or Bind creates.
func errUnmade() error { return asError(plan.Unmade()) }
