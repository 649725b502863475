// Package bridge is what package schema has for the packages beside it, and not for users.
package bridge

import (
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/record"
)

// Plan is a schema.Plan as packages lock and template see it.
type Plan interface {
	// Lock returns the plan as a lock records it, with a note of the columns that are off.
	Lock() *locked.Lock
	// Columns returns how the root's columns are encoded that are on, by number, and the handle of each, a
	// []schema.Handle.
	Columns() (columns []*plan.Op, handles any)
	// Record returns the record of a *schema.Record. The error is HandleMisuse, also of the record: it belongs to another
	// plan, or a message has been begun in it.
	Record(to any) (*record.Record, error)
	// Slab returns the batch of a *schema.Batch; nil if the messages of the plan must go through the batch's record.
	Slab(to any) *record.Batch
}
