package sequence

import "github.com/hotpb/hotpb/apps/flows/internal/sflow"

// Drops are the totals of dropped samples that a sub-agent of sFlow has reported last, by source. The first one is
// where counting begins: what it says was dropped before.
type Drops map[uint64]uint32

// The memory for a total, and how many a sub-agent may have.
const (
	dropsSize   = 48
	mostSources = 4096
)

// Size is the memory for the totals.
func (d Drops) Size() int { return len(d) * dropsSize }

// See returns how many more samples were dropped, and reserves memory for new totals. A total that falls has begun again, and
// one that jumps too far says nothing.
func (d *Drops) See(reports []sflow.Drops, reserve func(int) bool) (more int) {
	for _, r := range reports {
		before, known := (*d)[r.Source]
		if known && before == r.Total {
			continue
		}
		if !known && (len(*d) >= mostSources || !reserve(dropsSize)) {
			continue
		}
		if *d == nil {
			*d = Drops{}
		}
		(*d)[r.Source] = r.Total
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

// Restart makes all totals begin at zero.
func (d Drops) Restart() {
	for source := range d {
		d[source] = 0
	}
}
