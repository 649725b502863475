package decode

import (
	"errors"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// sets decodes the sets of a datagram.
func (d *Decoder) sets(dst []byte, m *message.Header, dom *session.Domain) (out []byte, flows int, has sequence.Count) {
	out = dst
	d.begin(m, dom.Exporter)
	has.Known = true
	for {
		d.counts.Set = 0
		id, body, ok := m.NextSet(&d.counts)
		if !ok {
			break
		}
		var n int
		out, n = d.set(out, m, dom, id, body, &has)
		flows += n
	}
	has.Known = has.Known && !m.Wrong
	if m.Protocol == flow.NetFlow9 {
		// If there are fewer than the header says, some were cut off between two sets, unless some could not be
		// counted.
		if has.Known && has.All+m.Found < m.Records {
			d.counts.Drop(count.Truncated, 1)
		}
		return out, flows, sequence.Count{All: 1, Known: true}
	}
	return out, flows, has
}

// set decodes a set, and counts its records.
func (d *Decoder) set(
	dst []byte, m *message.Header, dom *session.Domain, id uint16, body []byte, has *sequence.Count,
) (out []byte, flows int) {
	if id < 256 {
		return d.templateSet(dst, m, dom, id, body)
	}
	d.counts.Set = id
	t := dom.Template(id)
	if t == nil || t.Borrowed {
		t = d.borrowOnce(dom, m, id, t)
	}
	switch {
	case t == nil:
		dom.Wait(m, id, body)
		has.Known = false
		if d.watch != nil {
			d.watch.waits(d, dom, m, id, body)
		}
		return dst, 0
	case t.Options:
		records := uint32(d.optionsSet(dom, m, t, body))
		has.Options += records
		has.All += records
		return d.releaseRated(dst, m, dom.Exporter)
	}
	out, flows, records := d.data(dst, m, dom, t, body)
	has.All += uint32(records)
	return out, flows
}

// templateSet reads a set of templates or options templates, and decodes what has waited for them.
func (d *Decoder) templateSet(dst []byte, m *message.Header, dom *session.Domain, id uint16, body []byte) (out []byte, flows int) {
	out = dst
	first := uint16(2) // the id of templates; that of options follows
	if m.Protocol == flow.NetFlow9 {
		first = 0
	}
	if id != first && id != first+1 {
		m.Wrong = true
		d.counts.Drop(count.Malformed, 1)
		if d.watch != nil {
			d.watch.waits(d, dom, m, id, body)
		}
		return out, 0
	}
	d.learnt = d.learnt[:0]
	d.learnSet(dom, m, body, id != first)
	for _, id := range d.learnt {
		var n int
		out, n = d.released(out, m, dom, id)
		flows += n
	}
	return out, flows
}

// released decodes the sets that have waited for a template, with the clock and the time of receipt of their own
// datagrams, and returns to the datagram that has brought the template.
func (d *Decoder) released(dst []byte, m *message.Header, dom *session.Domain, id uint16) (out []byte, flows int) {
	out = dst
	if !dom.Waits(id) || dom.Template(id) == nil {
		return out, 0
	}
	list := dom.TakeWaiting(id)
	d.counts.Set = id
	for i := range list {
		w, t := &list[i], dom.Template(id)
		if t == nil { // the layout could not be bound to it
			d.counts.Drop(count.TemplateMalformed, 1)
			continue
		}
		if t.Options {
			d.optionsSet(dom, &w.Message, t, w.Body)
			var n int
			out, n = d.releaseRated(out, m, dom.Exporter)
			flows += n
			continue
		}
		d.begin(&w.Message, dom.Exporter)
		var n int
		out, n, _ = d.data(out, &w.Message, dom, t, w.Body)
		flows += n
	}
	d.begin(m, dom.Exporter)
	return out, flows
}

// begin prepares for the records of a message. The collector's own values are encoded when the first record comes.
func (d *Decoder) begin(m *message.Header, e *session.Exporter) {
	d.values = layout.Values{
		Protocol: uint8(m.Protocol), Sequence: m.Sequence, Exporter: e.From.Addr(), Received: m.Received,
	}
	d.prefix = nil
}

// releaseHeld encodes held records whose rate has come, or all of them: in the end, the exporter's default counts, or
// the records have no rate.
func (d *Decoder) releaseHeld(dst []byte, dom *session.Domain, all bool) (out []byte, flows int) {
	list := dom.TakeHeld()
	d.replaying, d.final = true, all
	defer func() { d.replaying, d.final = false, false }()
	for i := range list {
		h := &list[i]
		d.counts.Set = h.Template.ID
		d.begin(&h.Message, dom.Exporter)
		before := len(dst)
		var n int
		switch {
		case h.Template.Reverse == nil:
			dst, n, _ = d.data(dst, &h.Message, dom, h.Template, h.Records)
		case h.Template.Bound.Layout != d.layout && !d.bind(dom, h.Template):
		case h.Reverse:
			dst, n = d.encodeReverse(dst, &h.Message, dom, h.Template, h.Records)
		default:
			t := h.Template
			d.holding = t
			dst, n, _ = d.encode(dst, &h.Message, dom, &t.Definition, &t.Bound, h.Records)
			t.Bound.CountMisfits(&d.counts)
		}
		flows += n
		if d.watch != nil {
			d.watch.held(d, h, dom, dst[before:])
		}
	}
	return dst, flows
}

// releaseRated encodes the held records of an exporter whose rate has come: it may be reported in another domain.
func (d *Decoder) releaseRated(dst []byte, m *message.Header, e *session.Exporter) (out []byte, flows int) {
	out = dst
	if !e.Rates.HasNews() {
		return out, 0
	}
	for _, dom := range e.Domains() {
		if dom.Holds() {
			var n int
			out, n = d.releaseHeld(out, dom, false)
			flows += n
		}
	}
	if flows > 0 {
		d.begin(m, e)
	}
	return out, flows
}

// data encodes a data set. Records that are not flows are held until their sampling rate comes.
func (d *Decoder) data(
	dst []byte, m *message.Header, dom *session.Domain, t *session.Template, set []byte,
) (out []byte, flows, records int) {
	dom.Use(t)
	if d.watch != nil && !d.watch.busy && !d.replaying {
		return d.watch.data(d, dst, m, dom, t, set)
	}
	if t.Bound.Layout != d.layout {
		if !d.ending && !dom.Exporter.MayBind() {
			m.Wrong = true
			dom.Wait(m, t.ID, set)
			return dst, 0, 0
		}
		if !d.bind(dom, t) {
			m.Wrong = true
			return dst, 0, 0
		}
	}
	t.Seen = m.Received
	d.holding = t
	out, flows, records = d.encode(dst, m, dom, &t.Definition, &t.Bound, set)
	t.Bound.CountMisfits(&d.counts)
	if t.Reverse != nil {
		var n int
		out, n = d.encodeReverse(out, m, dom, t, set)
		flows += n
	}
	return out, flows, records
}

// bind binds a template to the layout. A field that cannot fill a column is skipped, and the others are read.
func (d *Decoder) bind(dom *session.Domain, t *session.Template) bool {
	direct, refused, err := d.bindFields(&t.Definition)
	if err == nil && t.Reverse != nil {
		var more int
		t.Reverse.Bound, more, err = d.bindFields(&t.Reverse.Definition)
		d.counts.Drop(count.FieldRefused, more)
	}
	if err != nil {
		d.counts.Drop(count.TemplateMalformed, 1)
		dom.Remove(t)
		return false
	}
	if !dom.Grow(t, d.binder.Size(&t.Definition)-t.Bytes) { // it was another template with another layout
		d.counts.Drop(count.TemplateFlood, 1)
		dom.Remove(t)
		return false
	}
	d.counts.Drop(count.FieldRefused, refused)
	t.Bound = direct
	return true
}

// bindFields binds the fields of a template, and returns how many are refused.
func (d *Decoder) bindFields(def *templates.Definition) (b templates.Bound, refused int, err error) {
	b, wrong, err := d.binder.Bind(def)
	if d.detail.Text == "" && len(wrong) > 0 {
		d.detail = session.Detail{Reason: count.FieldRefused, Text: reasonOf(wrong[0])}
	}
	return b, len(wrong), err
}

// reasonOf is why a field is refused, without what all such errors begin with.
func reasonOf(err error) string {
	if e := (*schema.Error)(nil); errors.As(err, &e) {
		return strings.TrimPrefix(e.Where, "template: ") + ": " + e.Reason
	}
	return err.Error()
}

// netflow5 encodes the records of a datagram of NetFlow v5.
func (d *Decoder) netflow5(dst []byte, m *message.Header, dom *session.Domain) (out []byte, flows int, has sequence.Count) {
	d.begin(m, dom.Exporter)
	d.holding = nil
	out, flows, _ = d.encode(dst, m, dom, &templates.NetFlow5, &d.five, m.Sets)
	d.five.CountMisfits(&d.counts)
	if d.watch != nil {
		d.watch.five(d, m, dom, m.Sets, out[len(dst):])
	}
	return out, flows, sequence.Count{All: uint32(flows), Known: !m.Wrong}
}
