package clickhouse

import (
	"errors"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// maxProblems limits how much an error reports about a schema from elsewhere.
const maxProblems = 100

// problems collects what ClickHouse has no type or name for.
type problems []error

func (p *problems) add(where, reason string) {
	if len(*p) == maxProblems {
		reason = "and there are more errors"
	} else if len(*p) > maxProblems {
		return
	}
	*p = append(*p, problem(where, reason))
}

func (p problems) err() error { return errors.Join(p...) }

func problem(where, reason string) error {
	return &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: reason}
}
