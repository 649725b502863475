package decode

import "github.com/hotpb/hotpb/apps/flows/internal/sflow"

// agentDrops are the totals of dropped samples that a sub-agent of sFlow has reported last, by source. The first one is
// where counting begins: what it says was dropped before.
type agentDrops map[uint64]uint32

// The memory for a total, and how many a sub-agent may have.
const (
	dropsSize   = 48
	mostSources = 4096
)

// see returns how many more samples were dropped. A total that falls has begun again, and one that jumps too far says
// nothing.
func (a *agentDrops) see(e *exporter, reports []sflow.Drops) (more int) {
	for _, r := range reports {
		before, known := (*a)[r.Source]
		if known && before == r.Total {
			continue
		}
		if !known && (len(*a) >= mostSources || !e.reserve(dropsSize)) {
			continue
		}
		if *a == nil {
			*a = agentDrops{}
		}
		(*a)[r.Source] = r.Total
		n := r.Total - before
		if int32(n) < 0 {
			n = r.Total
		}
		if known && n <= longestGap {
			more += int(n)
		}
	}
	return more
}

// restart makes all totals begin at zero.
func (a agentDrops) restart() {
	for source := range a {
		a[source] = 0
	}
}
