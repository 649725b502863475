package decode

import (
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
)

// Agents of sFlow count the samples that they had no resources for, by source, since their start.
func TestSamplesThatAnAgentDropsAreCounted(t *testing.T) {
	type report struct{ source, drops uint32 }
	compact := func(r report) []byte { return be32(1, 32, 1, r.source, 100, 1000, r.drops, 1, 2, 0) }
	expanded := func(r report) []byte { return be32(3, 44, 1, 0, r.source, 100, 1000, r.drops, 0, 1, 0, 2, 0) }
	discarded := func(r report) []byte { return be32(5, 32, 1, 0, r.source, r.drops, 1, 2, 258, 0) }
	for name, sample := range map[string]func(report) []byte{"compact": compact, "expanded": expanded, "discarded": discarded} {
		r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
		for i, c := range []struct {
			sequence, uptime uint32
			reports          []report
			want             uint64 // more
		}{
			{1, 1e6, []report{{3, 700}}, 0}, // dropped before
			{2, 1e6, []report{{3, 700}, {3, 702}, {4, 9}}, 2},
			{4, 1e6, []report{{4, 10}, {3, 712}}, 11},
			{3, 1e6, []report{{3, 705}}, 0}, // late
			{4, 1e6, []report{{4, 10}, {3, 712}}, 0},
			{5, 1e6, []report{{3, 1<<32 - 3}}, 0}, // nonsense
			{6, 1e6, []report{{3, 2}}, 5},
			{7, 1e6, []report{{3, 1 << 20}}, 1<<20 - 2},
			{8, 1e6, []report{{3, 4}}, 4}, // counted again
			{1, 500, []report{{3, 6}}, 6}, // started again
		} {
			parts := [][]byte{be32(5, 1, 0x0a000001, 0, c.sequence, c.uptime, uint32(len(c.reports)))}
			for _, observed := range c.reports {
				parts = append(parts, sample(observed))
			}
			before := r.counts.Dropped(count.AgentDrops)
			r.send(join(parts...))
			if got := r.counts.Dropped(count.AgentDrops) - before; got != c.want {
				t.Errorf("%s %d: %d more instead of %d", name, i, got, c.want)
			}
		}
		e := r.store.Exporters()[0]
		if e.Losses[count.AgentDrops] != r.counts.Dropped(count.AgentDrops) || e.Restarts != 1 || e.Lost != 0 {
			t.Errorf("%s: %+v", name, e)
		}
		if r.store.Close(); r.store.Memory() != 0 {
			t.Errorf("%d bytes are kept", r.store.Memory())
		}
	}
}

// A source counts its samples and its reports of discarded packets apart.
func TestDiscardedPacketsHaveATotalOfTheirOwn(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	for i, drops := range [][2]uint32{{700, 5}, {702, 5}, {702, 9}, {703, 10}} {
		r.send(join(be32(5, 1, 0x0a000001, 0, uint32(i), 1e6, 2), be32(3, 44, 1, 0, 3, 100, 1000, drops[0], 0, 1, 0, 2, 0), be32(5, 32, 1, 0, 3, drops[1], 1, 2, 258, 0)))
	}
	if got := r.counts.Dropped(count.AgentDrops); got != 2+4+2 {
		t.Errorf("%d", got)
	}
}
