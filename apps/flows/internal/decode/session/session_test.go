package session

import (
	"net/netip"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

var start = time.Unix(1_800_000_000, 0)

// session calls a function with a domain of an exporter that sends from a port.
func session(t *testing.T, s *Store, port uint16, now time.Time, do func(*Domain)) {
	e := s.Lock(&Owner{}, nil, netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), port), now)
	if e == nil {
		t.Fatalf("no room for port %d", port)
	}
	defer e.Unlock()
	do(e.Receive(DomainKey{Protocol: flow.IPFIX, ID: 7}, now))
	e.Place(now, 0)
}

func learn(t *testing.T, d *Domain, id uint16, now time.Time) {
	def := templates.New(flow.IPFIX, id, false, 0, []template.Field{{Element: 1, Length: 4}})
	if x, _, refused := d.Learn(&def, flow.IPFIX, now, false); x == nil {
		t.Errorf("template %d: %v", id, refused)
	}
}

// Looking after what is kept changes nobody's turn, and nobody has one who is gone.
func TestTurnsAreKept(t *testing.T) {
	s := NewStore(DefaultLimits(), &count.Counters{})
	for port := range uint16(5) {
		session(t, s, 3000+port, start, func(d *Domain) { learn(t, d, 257, start) })
	}
	s.Expire(start)
	oldest := s.ranks.worst(count.Places)
	s.Expire(start)
	if second := s.ranks.worst(count.Places); oldest.From.Port() != 3000 || second != oldest {
		t.Errorf("%v is first, then %v", oldest.From, second.From)
	}
	s.Close()
	for rank, n := range s.ranks.members {
		if n != 0 || s.ranks.bytes[rank] != 0 {
			t.Errorf("%d exporters of rank %d are left, %d bytes", n, rank, s.ranks.bytes[rank])
		}
	}
}

// However many templates an exporter withdraws, few are remembered, and those that come again are not.
func TestFormerTemplatesAreBounded(t *testing.T) {
	s := NewStore(DefaultLimits(), &count.Counters{})
	const first, last = 256, 256 + 10*mostFormer
	now := start
	for id := uint16(first); id < last; id++ {
		now = now.Add(time.Second)
		session(t, s, 2055, now, func(d *Domain) {
			learn(t, d, id, now)
			d.Withdraw(id, false)
		})
	}
	session(t, s, 2055, now, func(d *Domain) {
		e := d.Exporter
		if want := exporterSize + domainSize + mostFormer*formerSize; len(e.former) != mostFormer || e.bytes != want {
			t.Errorf("%d templates, %d bytes, not %d", len(e.former), e.bytes, want)
		}
		learn(t, d, last-1, now)
		if len(e.former) != mostFormer-1 {
			t.Errorf("%d, when one has come again", len(e.former))
		}
	})
	s.Close()
	if n := s.Memory(); n != 0 {
		t.Errorf("%d bytes", n)
	}
}
