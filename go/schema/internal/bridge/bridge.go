// Package bridge is what package schema has for the packages beside it, and not for users.
package bridge

import (
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// Plan is a schema.Plan as packages lock and template see it.
type Plan interface {
	// Lock returns the plan as a lock records it, with a note of the columns that are off.
	Lock() *locked.Lock
	// Columns returns how the root's columns are encoded that are on, by number, and the handle of each, a
	// []schema.Handle.
	Columns() (columns []encode.Column, handles any)
	// Record returns a *schema.Record in the form that a template writes. The error is HandleMisuse, also of the record:
	// it belongs to another plan, or a message has been begun in it.
	Record(record any) (encode.Record, error)
	// Slab returns a *schema.Batch in the form that a template writes; nil if the messages of the plan must go through
	// the batch's record.
	Slab(batch any) encode.Slab
}
