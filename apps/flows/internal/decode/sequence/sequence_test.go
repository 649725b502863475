package sequence

import (
	"slices"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
)

// Whatever is lost, comes twice or in another order: what is missing in the end is what was lost. A lost datagram may be as
// long as the next one, and the next one may have no records.
func TestLossesAreExactInAnyOrder(t *testing.T) {
	type datagram struct {
		first, records uint32
		second         int64 // of the export
	}
	for name, c := range map[string]struct {
		protocol flow.Protocol
		atEnd    bool // a number is that after the last record
	}{
		"v5": {flow.NetFlow5, false}, "IPFIX": {flow.IPFIX, false}, "IPFIX, numbered late": {flow.IPFIX, true},
	} {
		state := uint32(1)
		pick := func(n uint32) uint32 {
			state = state*1664525 + 1013904223
			return state >> 16 % n
		}
		next, want, repeated := uint32(1<<32-50_000), uint64(0), 0 // the numbers wrap around
		var sent []datagram
		for i := range 20_000 {
			records := []uint32{0, 20, 20, 20, 7, pick(30)}[pick(6)]
			if i > 10 && i < 19_000 && pick(30) == 0 {
				want += uint64(records)
			} else {
				sent = append(sent, datagram{next, records, int64(i) / 50})
			}
			next += records
		}
		for i := 10; i < len(sent)-10; i++ {
			switch pick(50) {
			case 0:
				sent[i], sent[i+1] = sent[i+1], sent[i]
			case 1:
				if sent[i].records > 0 {
					repeated++
				}
				sent = slices.Insert(sent, i, sent[i])
				i++
			}
		}
		s, missing := sequence{}, uint64(0)
		for _, d := range sent {
			m := Number{Protocol: c.protocol, Value: d.first, Export: d.second}
			if c.atEnd {
				m.Value += d.records
			}
			x := s.see(m, Count{All: d.records, Known: true})
			if missing += x.Lost - x.Found; x.Restarted {
				t.Errorf("%s: a restart at %+v", name, d)
			}
			if x.Repeated {
				repeated--
			}
		}
		if missing != want || repeated != 0 {
			t.Errorf("%s: %d records are missing, not %d; %d datagrams that came twice are not known", name, missing, want, repeated)
		}
	}
}

func TestPortsThatAreFollowedAreBounded(t *testing.T) {
	var p Ports
	for port := range uint16(3 * mostPorts) {
		p.Follow(port, time.Unix(int64(port), 0), Number{Protocol: flow.NetFlow5}, Count{All: 2, Known: true})
	}
	if len(p.all) != mostPorts {
		t.Errorf("%d ports", len(p.all))
	}
}

func TestSourcesWhoseDropsAreFollowedAreBounded(t *testing.T) {
	var d Drops
	memory := 0
	for i := range uint64(2 * mostSources) {
		d.See([]sflow.Drops{{Source: i}}, func(n int) bool { memory += n; return true })
	}
	if memory != mostSources*dropsSize || d.Size() != memory {
		t.Errorf("%d bytes are reserved for totals of %d", memory, d.Size())
	}
	d = nil
	if d.See([]sflow.Drops{{Source: 1}}, func(int) bool { return false }); d.Size() > 0 {
		t.Error("a total that has no room is kept")
	}
}
