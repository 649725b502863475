package ops

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// The bounds of what the trends keep: for each column at most trendSlots * trendKept values, some 7 MB for 40 columns.
const (
	trendTime  = 10 * time.Second
	trendSlots = int(time.Hour / trendTime)
	trendRing  = trendSlots + 1 // with the open one
	trendKeys  = 256            // values that are counted at once, of each column
	trendKept  = 16             // of them, those with the most bytes are kept
	mostTrends = 64             // columns
)

// trends are the traffic of the last hour by every column. The sampler feeds them, and locks them.
type trends struct {
	layout  *layout.Layout
	columns []*trend
	ring    [trendRing]trendSlot
	open    int64 // the number of the slot of now, since 1970
}

// trendSlot has the sums of ten seconds.
type trendSlot struct {
	number  int64
	seen            // what was sampled
	all     float64 // flows, sampled or not
	seconds float64 // in which they came: fewer than trendTime after the start
}

// trend is one column.
type trend struct {
	trendColumn
	now  *heavy[value]
	past [trendRing][]share
}

// share is what one value has of a slot.
type share struct {
	label                 string
	bytes, packets, flows float32
}

// use follows another layout. A column that the old one has, too, keeps its past.
func (t *trends) use(l *layout.Layout) {
	t.close()
	old := t.columns
	t.layout, t.columns = l, nil
	for _, c := range trendColumns(l) {
		if len(t.columns) == mostTrends {
			break
		}
		x := &trend{now: newHeavy[value](trendKeys)}
		if i := slices.IndexFunc(old, func(o *trend) bool { return o.name == c.name }); i >= 0 {
			x.past = old[i].past
		}
		x.trendColumn = c
		t.columns = append(t.columns, x)
	}
}

// advance closes the open slot if its time is over. Times between two calls that are longer than a slot have no slots.
func (t *trends) advance(now time.Time) {
	number := now.UnixNano() / int64(trendTime)
	if number == t.open {
		return
	}
	t.close()
	t.open = number
	*t.slot() = trendSlot{number: number}
	for _, c := range t.columns {
		c.past[number%int64(trendRing)] = nil
	}
}

// close keeps what was counted since the slot was opened; a reload closes it, too, and it goes on.
func (t *trends) close() {
	at := t.open % int64(trendRing)
	for _, c := range t.columns {
		if len(c.past[at]) <= 4*trendKept {
			c.past[at] = append(c.past[at], c.top()...)
		}
		c.now.reset()
	}
}

// arrived counts flows of which some were sampled.
func (t *trends) arrived(flows, seconds float64) {
	s := t.slot()
	s.all += flows
	s.seconds += seconds
}

func (t *trends) slot() *trendSlot { return &t.ring[t.open%int64(trendRing)] }

// add adds a flow that was sampled.
func (t *trends) add(r *schema.Row, flow seen) {
	t.slot().add(flow)
	for _, c := range t.columns {
		v := c.read(r)
		if v.text != "" && c.now.byKey[v] == nil {
			v.text = strings.Clone(v.text)
		}
		c.now.add(v, flow.bytes, flow.packets)
	}
}

// top returns the values with the most bytes.
func (t *trend) top() (list []share) {
	all := slices.Clone(t.now.heap)
	slices.SortFunc(all, func(a, b *weight[value]) int { return cmp.Compare(b.bytes-b.foreign, a.bytes-a.foreign) })
	for _, w := range all[:min(len(all), trendKept)] {
		list = append(list, share{t.label(w.key), float32(w.bytes - w.foreign), float32(w.packets), float32(w.flows)})
	}
	return list
}
