package sflow

import (
	"encoding/binary"
	"math"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Decoder decodes datagrams of sFlow v5 into encoded flows. One goroutine may use it.
type Decoder struct {
	layout   *layout.Layout
	enricher flow.Enricher
	counts   *count.Counters
	direct   bool // messages need no record: no stage looks at them, and no column keeps its first value
	goflow2  bool

	SamplingRate uint32 // higher rates are absurd

	Refused int // fields that cannot fill their columns in this layout

	bound [variants]bound
	times *template.Template // length of received

	row     *schema.Record // for what all flows of a datagram have, or for each
	misfits uint64         // misfits of row that are already counted

	// Of the datagram that is being decoded.
	opening  Opening
	opened   bool
	values   layout.Values
	received [receivedSize]byte
	prefix   []byte // the beginning of the messages; nil before the first one
	record   record // the sample that is being read
}

// bound is the template of a variant, once there was a record of that variant.
type bound struct {
	template *template.Template
	misfits  uint64 // misfits that are already counted
}

// New creates a decoder that encodes with a layout. The enricher may be nil.
func New(l *layout.Layout, e flow.Enricher, c *count.Counters) (*Decoder, error) {
	d := &Decoder{layout: l, enricher: e, counts: c, SamplingRate: math.MaxUint32, direct: e == nil, row: l.Plan.NewRecord()}
	for _, column := range l.Plan.Columns(l.Plan.Root()) {
		if column.Policy == schema.First {
			d.direct = false
		}
	}
	var all []template.Field
	for _, v := range []variant{{four, four, four}, {six, six, six}} {
		all = append(all, fields(v, true)...)
	}
	_, refused, err := template.BindFitting(l.Plan, all)
	if err != nil {
		return nil, err
	}
	d.Refused = len(refused)
	d.times, _, err = template.BindFitting(l.Plan, []template.Field{{Element: 152, Length: 8}, {Element: 153, Length: 8}})
	return d, err
}

// NewGoflow2 is New with goflow2's decoder before our encoding. That decoder accepts a datagram as a whole or, if
// it has any fault, not at all. It reads only one segment of BGP paths.
func NewGoflow2(l *layout.Layout, e flow.Enricher, c *count.Counters) (*Decoder, error) {
	d, err := New(l, e, c)
	if err != nil {
		return nil, err
	}
	d.goflow2 = true
	return d, nil
}

// Append decodes a datagram and appends its flows to dst, each as a length-prefixed message. It returns how many
// there are. It counts faults: a datagram that ends too early as Truncated, an impossible sample or record as
// Malformed, and it reads the others. It counts samples that are not flows as passed.
func (d *Decoder) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	o, ok := d.open(dg.Payload)
	d.opening, d.opened = o, ok
	if !ok {
		return dst, 0
	}
	d.values = layout.Values{
		Protocol: uint8(flow.SFlow5), Sequence: o.Sequence, Exporter: o.Agent, Sender: dg.From.Addr(), Received: dg.Received,
	}
	d.prefix = nil
	received := uint64(0)
	if !dg.Received.IsZero() {
		received = uint64(dg.Received.UnixMilli())
	}
	binary.BigEndian.PutUint64(d.received[:], received)
	binary.BigEndian.PutUint64(d.received[8:], received)
	if d.goflow2 {
		out, flows = d.stock(dst, dg.Payload, &o)
	} else {
		out, flows = d.walk(dst, &o)
	}
	d.count(&d.misfits, d.row.AllMisfits())
	return out, flows
}

// Opening returns the opening of the last datagram; false if it had none.
func (d *Decoder) Opening() (Opening, bool) { return d.opening, d.opened }

// emit encodes the record.
func (d *Decoder) emit(dst []byte) []byte {
	d.record.finish()
	if rate := d.record.bytes[atRate:]; binary.BigEndian.Uint32(rate) > d.SamplingRate {
		d.counts.Drop(count.SamplingAbsurd, 1)
		clear(rate[:4])
	}
	b := &d.bound[d.record.variant.index()]
	if b.template == nil {
		// New has counted what does not fit, and a template of this length is never refused as a whole.
		b.template, _, _ = template.BindFitting(d.layout.Plan, fields(d.record.variant, !d.direct))
	}
	if d.direct {
		if d.prefix == nil {
			d.layout.Begin(d.row, &d.values)
			d.times.AppendRecord(d.row, d.received[:], template.Clock{})
			d.prefix = d.row.Encoded()
		}
		dst, _, _ = b.template.AppendSetAfter(dst, d.prefix, d.record.bytes[:], template.Clock{})
	} else {
		d.record.take(atReceived, d.received[:])
		d.layout.Begin(d.row, &d.values)
		b.template.AppendRecord(d.row, d.record.bytes[:], template.Clock{})
		if d.enricher != nil {
			d.enricher.Enrich(d.row, d.values.Exporter)
		}
		dst = d.row.AppendDelimited(dst)
	}
	d.count(&b.misfits, b.template.AllMisfits())
	return dst
}

// count counts the misfits that are not counted yet.
func (d *Decoder) count(counted *uint64, now uint64) {
	if now > *counted {
		d.counts.Drop(count.Misfit, int(now-*counted))
		*counted = now
	}
}
