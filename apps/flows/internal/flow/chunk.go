package flow

import (
	"net/netip"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// Chunk holds some flows, encoded with one layout. It has one owner at a time.
type Chunk struct {
	Layout *layout.Layout
	Bytes  []byte // length-prefixed messages
	Flows  int
}

// Enricher looks at the values of a record and adds more or better ones before the record is finished: the stages
// implement it. One goroutine at a time calls it for a record; several may call it for several records.
type Enricher interface {
	Enrich(r *schema.Record, exporter netip.Addr)
}
