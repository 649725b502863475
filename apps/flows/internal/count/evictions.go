package count

import "sync/atomic"

// Rank is what an exporter has shown so far. Those of a lower rank give way first.
type Rank uint8

// The ranks.
const (
	Idle     Rank = iota // nothing that could be missed: no template, no data that waits, and at most flows of sFlow
	Unread               // data that waits, and no template
	Flowless             // templates or options, and never a flow
	Recent               // flows, for less than a minute or with a pause
	Settled              // flows for longer
	Ranks                // the number of ranks
)

// String is the label in metrics.
func (r Rank) String() string {
	return [...]string{"idle", "no_templates", "no_flows", "recent", "settled"}[r]
}

// Resource is what was short when an exporter gave way.
type Resource uint8

// The resources.
const (
	Memory    Resource = iota // bytes
	Places                    // exporters known at once
	Ports                     // ports of one address
	Resources                 // the number of resources
)

// String is the label in metrics.
func (r Resource) String() string { return [...]string{"memory", "exporters", "ports"}[r] }

// Evictions counts exporters that gave way to others, and what was kept of them.
type Evictions struct {
	Exporters, Templates, Bytes atomic.Uint64
}
