package sampling

import (
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// room counts the bytes of rates.
type room struct{ bytes int }

func (r *room) Reserve(n int) bool { r.bytes += n; return true }
func (r *room) Release(n int)      { r.bytes -= n }
func (r *room) RateChanged()       {}

func TestCountsAreThoseOfTheRatesThatAreKept(t *testing.T) {
	r := &room{}
	e := NewExporter(r, Limits{Rates: 10, Rate: 1e6}, 0, 0)
	d, c := e.Domain(), count.Local{Counters: &count.Counters{}}
	for id := range byte(11) {
		var o Options
		o.Take(flow.IPFIX, true, ipfix.SelectorID, []byte{id})
		o.Take(flow.IPFIX, false, ipfix.SamplingInterval, []byte{100 + id})
		d.Learn(&o, 300, time.Unix(1, 0), &c)
	}
	if n := c.Counters.Dropped(count.SamplerLimit); n != 1 || !e.HasNews() || e.HasNews() {
		t.Errorf("%d have no room", n)
	}
	for id, want := range []float64{100, 101} {
		if rate := d.Rate(&Fields{Sampler: true}, &Record{Sampler: uint64(id)}); rate != want {
			t.Errorf("sampler %d: rate %v", id, rate)
		}
	}
	expect := func(n int) {
		t.Helper()
		if d.Len() != n || d.counts.named != n || len(d.counts.census.parts) != n || len(e.counts.census.parts) != n || len(e.shared) != n || r.bytes != n*rateSize {
			t.Errorf("%d rates, %+v, %+v, %d bytes", d.Len(), d.counts, e.counts, r.bytes)
		}
	}
	expect(10)
	d.Expire(time.Unix(10, 0), time.Unix(5, 0))
	expect(2)
	d.Clear()
	expect(0)
}

func TestRulesThatAreNoneAreRefused(t *testing.T) {
	for _, wrong := range []string{"", "192.0.2.1", "192.0.2.1=", "192.0.2.1=0", "192.0.2.1=x", "192.0.2.1=NaN", "a=1", "192.0.2.0/33=1", "192.0.2.1=1e10"} {
		if _, _, err := ParseRule(wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
