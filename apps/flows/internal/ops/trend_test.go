package ops

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// clock is a server whose sampler has a time of its own, which begins with a slot.
type clock struct {
	*Server
	now time.Time
}

func newClock(t *testing.T) *clock {
	c := &clock{Server: newServer(t), now: time.Unix(1_800_000_000, 0)}
	c.sampler.now = func() time.Time { return c.now }
	c.observe(c.now)
	return c
}

// pass lets a slot pass in which so many flows came.
func (c *clock) pass(flows int) {
	c.Counters.Flows[flow.IPFIX].Add(uint64(flows))
	c.now = c.now.Add(trendTime - time.Microsecond)
	c.observe(c.now)
	c.now = c.now.Add(time.Microsecond)
}

type shownTrend struct {
	Columns []string
	Column  string
	End     int64
	Step    int
	Series  []struct {
		Label  string
		Values []*float64
	}
	Others  []*float64
	Unrated float64
}

func (c *clock) trend(t *testing.T, column, measure string) (v shownTrend) {
	t.Helper()
	code, body, _ := get(t, c.Server, "/api/trend?"+url.Values{"column": {column}, "measure": {measure}}.Encode())
	if code != http.StatusOK {
		t.Fatal(code, body)
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// last are the last values, newest last; - where there is none.
func last(values []*float64, n int) string {
	var all []string
	for _, v := range values[len(values)-n:] {
		if v == nil {
			all = append(all, "-")
		} else {
			all = append(all, fmt.Sprint(*v))
		}
	}
	return strings.Join(all, " ")
}

func (v *shownTrend) text(n int) string {
	var all []string
	for _, s := range v.Series {
		all = append(all, s.Label+": "+last(s.Values, n))
	}
	return strings.Join(append(all, "others: "+last(v.Others, n)), "; ")
}

// The first step after the start is shorter, and its rates are no lower for that.
func TestTheFirstStepHasItsOwnLength(t *testing.T) {
	c := newClock(t)
	c.pass(0)
	c.now = c.now.Add(8 * time.Second)
	c.history.points, c.sampler.trends = nil, trends{} // as after a start
	c.observe(c.now)
	c.sampler.look(chunkOf(t, c.Layout(), 10, 1))
	c.Counters.Flows[flow.IPFIX].Add(10)
	c.now = c.now.Add(2*time.Second - time.Microsecond)
	c.observe(c.now)
	c.now = c.now.Add(time.Microsecond)
	if v := c.trend(t, "src_addr", "flows"); v.text(2) != "192.0.2.1: - 5; others: - 0" {
		t.Error(v.text(2))
	}
}

func TestTrafficOverTimeByAColumn(t *testing.T) {
	c := newClock(t)
	if v := c.trend(t, "", ""); len(v.Columns) != 0 || len(v.Others) != trendSlots {
		t.Errorf("before the first flow: %+v", v)
	}
	c.sampler.look(chunkOf(t, c.Layout(), 30, 2)) // 15 flows of 1000 bytes from each of two addresses
	if v := c.trend(t, "src_addr", "bits"); len(v.Series) != 0 {
		t.Errorf("of a slot that is not over: %s", v.text(3))
	}
	c.pass(60) // half of which was sampled
	c.pass(0)
	c.sampler.look(chunkOf(t, c.Layout(), 10, 1))
	c.pass(10)
	for measure, want := range map[string]string{
		"bits":    "192.0.2.1: - 24000 0 8000; 192.0.2.2: - 24000 0 0; others: - 0 0 0",
		"packets": "192.0.2.1: - 60 0 20; 192.0.2.2: - 60 0 0; others: - 0 0 0",
		"flows":   "192.0.2.1: - 3 0 1; 192.0.2.2: - 3 0 0; others: - 0 0 0",
	} {
		v := c.trend(t, "src_addr", measure)
		if got := v.text(4); got != want {
			t.Errorf("%s:\n%s\n%s", measure, got, want)
		}
		if v.End != c.now.Unix() || v.Step != 10 || len(v.Others) != 360 || v.Unrated != 0 {
			t.Errorf("%+v", v)
		}
	}
	c.pass(50) // none of which was sampled: how they are spread is unknown
	if got := c.trend(t, "dst_addr", "flows"); got.text(3) != "2001:db8::1: 0 1 -; others: 0 0 -" {
		t.Error(got.text(3))
	}
	for range trendSlots {
		c.pass(0)
	}
	if got := c.trend(t, "src_addr", "bits"); len(got.Series) != 0 || last(got.Others, 2) != "0 0" || got.Others[0] == nil {
		t.Errorf("after an hour: %s", got.text(2))
	}
	if code, body, _ := get(t, c.Server, "/api/trend?measure=bytes"); code != http.StatusBadRequest || !strings.Contains(body, "packets") {
		t.Error(code, body)
	}
	if code, body, _ := get(t, c.Server, "/api/trend?column=bytes"); code != http.StatusNotFound || !strings.Contains(body, `"src_addr"`) {
		t.Error(code, body)
	}
}

// Any number of values has few lines, and nothing of the traffic is left out.
func TestATrendOfManyValuesIsBounded(t *testing.T) {
	c := newClock(t)
	l := c.Layout()
	port, err := schema.Lookup[schema.UintColumn](l.File.Schema.Message, "dst_port")
	if err != nil {
		t.Fatal(err)
	}
	cols, r := columnsOf(l), l.Plan.NewRecord()
	const flows = 10_000
	for i := range flows {
		r.Reset()
		r.Uint(cols.bytes, 100)
		if r.Uint(port, uint64(1024+i)); i%4 == 0 {
			r.Uint(port, 443)
		}
		c.sampler.look(flow.Chunk{Layout: l, Flows: 1, Bytes: r.Delimited()})
	}
	c.pass(flows)
	v := c.trend(t, "dst_port", "bits")
	if len(v.Series) > shownSeries || v.Series[0].Label != "443" || last(v.Series[0].Values, 1) != fmt.Sprint(flows/4*100*8/10) || v.Unrated != 1 {
		t.Error(v.text(1), v.Unrated)
	}
	sum := *v.Others[trendSlots-1]
	for _, s := range v.Series {
		sum += *s.Values[trendSlots-1]
	}
	if want := float64(flows * 100 * 8 / 10); sum < 0.99*want || sum > 1.01*want {
		t.Errorf("%v of %v bits", sum, want)
	}
	for _, x := range c.sampler.trends.columns {
		for _, past := range x.past {
			if len(past) > trendKept {
				t.Fatalf("%s keeps %d values", x.name, len(past))
			}
		}
	}
}

// A schema may have any number of columns of any type.
const allTypes = `
message: Flow
columns:
  - {name: time, number: 1, type: timestamp(millis), from: 258}
  - {name: bytes, number: 2, type: uint64, from: 1}
  - {name: serial, number: 3, type: uint32, from: 4294967295/2}
  - {name: proto, number: 4, type: uint32, from: 4}
  - {name: etype, number: 5, type: uint32, from: 256}
  - {name: kind, number: 6, type: Kind}
  - {name: yes, number: 7, type: bool}
  - {name: signed, number: 8, type: int64}
  - {name: address, number: 9, type: ip}
  - {name: mac, number: 10, type: mac}
  - {name: text, number: 11, type: string}
  - {name: raw, number: 12, type: bytes}
  - {name: list, number: 13, type: repeated uint32}
  - {name: ratio, number: 14, type: double}
enums:
  Kind:
    values: {NONE: 0, SOME: 1}
`

func TestValuesOfEveryTypeHaveLabels(t *testing.T) {
	l, err := layout.Parse("test.yaml", []byte(allTypes))
	if err != nil {
		t.Fatal(err)
	}
	c := newClock(t)
	s, r := l.File.Schema, l.Plan.NewRecord()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	look := func() { c.sampler.look(flow.Chunk{Layout: l, Flows: 1, Bytes: r.Delimited()}) }
	look() // empty
	r.Reset()
	proto, err := schema.Lookup[schema.UintColumn](s.Message, "proto")
	must(err)
	etype, err := schema.Lookup[schema.UintColumn](s.Message, "etype")
	must(err)
	kind, err := schema.Lookup[schema.EnumColumn](s.Message, "kind")
	must(err)
	yes, err := schema.Lookup[schema.BoolColumn](s.Message, "yes")
	must(err)
	signed, err := schema.Lookup[schema.IntColumn](s.Message, "signed")
	must(err)
	address, err := schema.Lookup[schema.IPColumn](s.Message, "address")
	must(err)
	mac, err := schema.Lookup[schema.MACColumn](s.Message, "mac")
	must(err)
	text, err := schema.Lookup[schema.StringColumn](s.Message, "text")
	must(err)
	raw, err := schema.Lookup[schema.BytesColumn](s.Message, "raw")
	must(err)
	r.Uint(proto, 6)
	r.Uint(etype, 0x86dd)
	r.Enum(kind, 1)
	r.Bool(yes, true)
	r.Int(signed, -5)
	r.IP(address, netip.MustParseAddr("192.0.2.7"))
	r.MAC(mac, 0x0242ac110002)
	r.String(text, strings.Repeat("<b>", 100)+"\xff")
	r.Bytes(raw, []byte{1, 0xfe})
	look()
	c.pass(2)
	for column, want := range map[string]string{
		"proto": "0 TCP (6)", "etype": "0 IPv6 (34525)", "kind": "NONE SOME", "yes": "false true", "signed": "-5 0", "address": "192.0.2.7 none",
		"mac": "00:00:00:00:00:00 02:42:ac:11:00:02", "text": strings.Repeat("<b>", 21) + "< none", "raw": " 01fe",
	} {
		v := c.trend(t, column, "flows")
		var labels []string
		for _, s := range v.Series {
			labels = append(labels, s.Label)
		}
		slices.Sort(labels)
		got := strings.Join(labels, " ")
		if got != want {
			t.Errorf("%s: %q, not %q", column, got, want)
		}
	}
	if v := c.trend(t, "kind", "flows"); len(v.Columns) != 9 {
		t.Errorf("columns %q", v.Columns)
	}
}

// Columns that two layouts share keep their past, and others end with their layout.
func TestAReloadKeepsThePast(t *testing.T) {
	c := newClock(t)
	c.sampler.look(chunkOf(t, c.Layout(), 10, 1))
	c.pass(10)
	changed := strings.Replace(allTypes, "name: address, number: 9, type: ip", "name: src_addr, number: 9, type: ip, from: 8", 1)
	l, err := layout.Parse("test.yaml", []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	c.sampler.look(chunkOf(t, c.Layout(), 10, 1))
	c.sampler.look(flow.Chunk{Layout: l, Flows: 1, Bytes: l.Plan.NewRecord().Delimited()})
	c.pass(11)
	if got := c.trend(t, "src_addr", "flows"); got.text(2) != "192.0.2.1: 1 1; none: 0 0.1; others: 0 0" {
		t.Error(got.text(2))
	}
	if code, _, _ := get(t, c.Server, "/api/trend?column=dst_addr"); code != http.StatusNotFound {
		t.Error(code)
	}
}

func BenchmarkASampledFlow(b *testing.B) {
	s := newServer(b)
	chunk := chunkOf(b, s.Layout(), sampleFlows, 100)
	b.ReportAllocs()
	for b.Loop() {
		s.sampler.look(chunk)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sampleFlows), "ns/flow")
}
