package flow

import (
	"net/netip"

	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// Chunk is some flows, encoded with one layout. It belongs to who has it, one at a time.
type Chunk struct {
	Layout *layout.Layout
	Bytes  []byte // messages, each behind its length
	Flows  int
}

// Enricher looks at what a record has so far and puts more or better values in, before it is finished: the stages.
// It is called from one goroutine at a time for a record, from several for several.
type Enricher interface {
	Enrich(r *schema.Record, exporter netip.Addr)
}
