package sflow

import (
	"encoding/binary"
	"math"
	"net/netip"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Decoder decodes datagrams of sFlow v5 into encoded flows. One goroutine may use it.
type Decoder struct {
	layout   *layout.Layout
	enricher flow.Enricher
	counts   count.Local
	scales   bool // the layout has columns that are multiplied by the sampling rate
	direct   bool // messages need no record: no stage looks at them, and no column keeps its first value

	SamplingRate uint32 // higher rates are absurd
	// Rules returns the operator's rates for an agent, or 0: of samples without a rate, and of all.
	Rules func(agent netip.Addr) (fallback, override float64)

	Refused int // fields that cannot fill their columns in this layout

	bound [variants]bound
	rare  map[variant]*bound // of records with fields that few samples have
	times *template.Template // length of received

	row     *schema.Record // for what all flows of a datagram have, or for each
	misfits uint64         // misfits of row that are already counted

	// Of the datagram that is being decoded.
	opening            Opening
	opened             bool
	values             layout.Values
	received           [receivedSize]byte
	fallback, override float64
	unsampled          uint64
	drops              []Drops
	prefix             []byte // the beginning of the messages; nil before the first one
	record             record // the sample that is being read
}

// bound is the template of a variant, once there was a record of that variant.
type bound struct {
	template *template.Template
	misfits  uint64 // misfits that are already counted
}

// New creates a decoder that encodes with a layout. The enricher may be nil.
func New(l *layout.Layout, e flow.Enricher, c *count.Counters) (*Decoder, error) {
	d := &Decoder{layout: l, enricher: e, counts: count.Local{Counters: c}, SamplingRate: math.MaxUint32, direct: e == nil, scales: l.Scales(), row: l.Plan.NewRecord()}
	d.record.lists = newLists(l.Plan.Columns(l.Plan.Root()))
	d.record.extras = fillsExtra(l.Plan.Columns(l.Plan.Root()))
	d.record.counts = c
	d.rare = map[variant]*bound{}
	for _, column := range l.Plan.Columns(l.Plan.Root()) {
		if column.KeepFirst {
			d.direct = false
		}
	}
	var all []template.Field
	for _, v := range []version{four, six} {
		all = append(all, fields(variant{
			ip: v, hop: v, bgpHop: v, inner: v, listed: v == four && d.record.lists != nil,
			extra: d.record.extras, natSource: v, natTarget: v, labelHop: v,
		}, true)...)
	}
	_, refused, err := template.BindFitting(l.Plan, all)
	if err != nil {
		return nil, err
	}
	d.Refused = len(refused)
	d.times, _, err = template.BindFitting(l.Plan, []template.Field{{Element: 152, Length: 8}, {Element: 153, Length: 8}})
	return d, err
}

// Append decodes a datagram and appends its flows to dst, each as a length-prefixed message. It returns how many
// there are. It counts faults: a datagram that ends too early as Truncated, an impossible sample or record as
// Malformed, and it reads the others. It counts samples that are not flows as passed.
func (d *Decoder) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	if !d.begin(dg) {
		return dst, 0
	}
	out, flows = d.walk(dst, &d.opening)
	d.count(&d.misfits, d.row.AllMisfits())
	return out, flows
}

// begin reads the opening of a datagram; false if it has none. It prepares what all its flows have.
func (d *Decoder) begin(dg *flow.Datagram) bool {
	if d.opening, d.opened = d.open(dg.Payload); !d.opened {
		return false
	}
	o := &d.opening
	d.values = layout.Values{
		Protocol: uint8(flow.SFlow5), Sequence: o.Sequence, Exporter: o.Agent, Sender: dg.From.Addr(), Received: dg.Received,
	}
	d.prefix, d.unsampled, d.drops = nil, 0, d.drops[:0]
	if d.Rules != nil {
		d.fallback, d.override = d.Rules(o.Agent)
	}
	received := uint64(0)
	if !dg.Received.IsZero() {
		received = uint64(dg.Received.UnixMilli())
	}
	binary.BigEndian.PutUint64(d.received[:], received)
	binary.BigEndian.PutUint64(d.received[8:], received)
	return true
}

// Opening returns the opening of the last datagram; false if it had none.
func (d *Decoder) Opening() (Opening, bool) { return d.opening, d.opened }

// emit encodes the record.
func (d *Decoder) emit(dst []byte) []byte {
	d.record.finish()
	d.sampled()
	b := d.template()
	if !d.direct {
		d.record.take(atReceived, d.received[:])
	}
	data := d.record.bytes[:]
	if d.record.variant.extra || d.record.variant.listed {
		data = d.record.joint()
	}
	if l := d.record.lists; l != nil && l.cut > 0 {
		d.counts.Drop(count.ListSkipped, l.cut)
	}
	if d.direct {
		if d.prefix == nil {
			d.layout.Begin(d.row, &d.values)
			d.times.AppendRecord(d.row, d.received[:], template.Clock{})
			d.prefix = d.row.Encoded()
		}
		dst, _, _ = b.template.AppendSetAfter(dst, d.prefix, data, template.Clock{})
	} else {
		d.layout.Begin(d.row, &d.values)
		b.template.AppendRecord(d.row, data, template.Clock{})
		if d.enricher != nil {
			d.enricher.Enrich(d.row, d.values.Exporter)
		}
		dst, _ = d.row.AppendDelimited(dst) // refused values count as misfits
	}
	d.count(&b.misfits, b.template.AllMisfits())
	return dst
}

// template returns the template for the record's variant.
func (d *Decoder) template() *bound {
	var b *bound
	if v := &d.record.variant; !v.extra {
		b = &d.bound[v.index()]
	} else if b = d.rare[*v]; b == nil {
		b = &bound{}
		d.rare[*v] = b
	}
	if b.template == nil {
		// New has counted what does not fit, and a template of this length is never refused as a whole.
		b.template, _, _ = template.BindNamed(d.layout.Plan, fields(d.record.variant, !d.direct), d.record.variant.names())
	}
	return b
}

// sampled sets the sampling rate of the record, and what depends on it.
func (d *Decoder) sampled() {
	r := &d.record
	own := r.word(atRate)
	if own > d.SamplingRate {
		d.counts.Drop(count.SamplingAbsurd, 1)
		own = 0
	}
	rate := float64(own)
	if rate == 0 {
		rate = d.fallback
	}
	if d.override > 0 {
		rate = d.override
	}
	if r.whole {
		rate = 1
	}
	r.put(atRate, uint32(math.Round(rate)))
	if known := rate > 0; d.values.Rated != known {
		d.values.Rated, d.prefix = known, nil
	}
	if rate == 0 {
		d.unsampled++
		d.counts.Unsampled.Add(1)
		return
	}
	if d.scales {
		binary.BigEndian.PutUint64(r.bytes[atScaledBytes:], layout.Scale(uint64(r.word(atBytes)), rate))
		binary.BigEndian.PutUint64(r.bytes[atScaledPackets:], layout.Scale(1, rate))
	}
}

// Losses returns where the losses of datagrams are counted.
func (d *Decoder) Losses() *count.Local { return &d.counts }

// Unsampled returns how many flows of the last datagram have no sampling rate.
func (d *Decoder) Unsampled() uint64 { return d.unsampled }

// Drops are the samples of a source that its agent had no resources for.
type Drops struct {
	Source uint64 // its type, in the upper half, and index
	Total  uint32 // since the agent has begun to count
}

// Drops returns what the samples of the last datagram say, in order. It is valid until the next call of Append.
func (d *Decoder) Drops() []Drops { return d.drops }

// count counts the misfits that are not counted yet.
func (d *Decoder) count(counted *uint64, now uint64) {
	if now > *counted {
		d.counts.Drop(count.Misfit, int(now-*counted))
		*counted = now
	}
}
