package decode

import (
	"errors"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
)

// sets decodes the sets of a datagram.
func (d *Decoder) sets(dst []byte, m *message.Header, dom *domain) (out []byte, flows int, has sequence.Count) {
	out = dst
	d.begin(m, dom.exporter)
	has.Known = true
	for {
		d.counts.Set = 0
		id, body, ok := m.NextSet(&d.counts)
		if !ok {
			break
		}
		if id >= 256 {
			d.counts.Set = id
		}
		templates, options := setID(m.Protocol, id)
		t := dom.templates[id]
		if id >= 256 && (t == nil || t.borrowed) {
			t = d.borrowOnce(dom, m, id, t)
		}
		switch {
		case templates || options:
			d.learnt = d.learnt[:0]
			d.learnSet(dom, m, body, options)
			for _, id := range d.learnt {
				var released int
				out, released = d.released(out, m, dom, id)
				flows += released
			}
		case id < 256:
			m.Wrong = true
			d.counts.Drop(count.Malformed, 1)
			if d.watch != nil {
				d.watch.waits(d, dom, m, id, body)
			}
		case t == nil:
			dom.wait(m, id, body)
			has.Known = false
			if d.watch != nil {
				d.watch.waits(d, dom, m, id, body)
			}
		case t.Options:
			records := uint32(d.optionsSet(dom, m, t, body))
			has.Options += records
			has.All += records
			var released int
			out, released = d.releaseRated(out, m, dom.exporter)
			flows += released
		default:
			var encoded, records int
			out, encoded, records = d.data(out, m, dom, t, body)
			flows += encoded
			has.All += uint32(records)
		}
	}
	if m.Protocol == flow.NetFlow9 {
		// If there are fewer than the header says, some were cut off between two sets, unless some could not be
		// counted.
		if has.Known && !m.Wrong && has.All+m.Found < m.Records {
			d.counts.Drop(count.Truncated, 1)
		}
		return out, flows, sequence.Count{All: 1, Known: true}
	}
	has.Known = has.Known && !m.Wrong
	return out, flows, has
}

// setID reports whether a set has templates or options templates.
func setID(p flow.Protocol, id uint16) (templates, options bool) {
	if p == flow.NetFlow9 {
		return id == 0, id == 1
	}
	return id == 2, id == 3
}

// released decodes the sets that have waited for a template, with the clock and the time of receipt of their own
// datagrams, and returns to the datagram that has brought the template.
func (d *Decoder) released(dst []byte, m *message.Header, dom *domain, id uint16) (out []byte, flows int) {
	out = dst
	if len(dom.waiting[id]) == 0 || dom.templates[id] == nil {
		return out, 0
	}
	list := dom.waited(id)
	d.counts.Set = id
	for i := range list {
		w, t := &list[i], dom.templates[id]
		if t == nil { // the layout could not be bound to it
			d.counts.Drop(count.TemplateMalformed, 1)
			continue
		}
		if t.Options {
			d.optionsSet(dom, &w.message, t, w.body)
			var n int
			out, n = d.releaseRated(out, m, dom.exporter)
			flows += n
			continue
		}
		d.begin(&w.message, dom.exporter)
		var n int
		out, n, _ = d.data(out, &w.message, dom, t, w.body)
		flows += n
	}
	d.begin(m, dom.exporter)
	return out, flows
}

// data encodes a data set. Records that are not flows are held until their sampling rate comes.
func (d *Decoder) data(
	dst []byte, m *message.Header, dom *domain, t *inputTemplate, set []byte,
) (out []byte, flows, records int) {
	dom.flows = dom.flows || !t.borrowed
	if d.watch != nil && !d.watch.busy && !d.replaying {
		return d.watch.data(d, dst, m, dom, t, set)
	}
	if t.bound.Layout != d.layout {
		if dom.exporter.rank() != count.Settled && !d.ending && d.store.bound.Add(1) > int64(d.store.limits.TemplateRate) {
			m.Wrong = true
			dom.wait(m, t.ID, set)
			return dst, 0, 0
		}
		if !d.bind(dom, t) {
			m.Wrong = true
			return dst, 0, 0
		}
	}
	t.seen = m.Received
	d.holding = t
	out, flows, records = d.encode(dst, m, dom, &t.Definition, &t.bound, set)
	t.bound.CountMisfits(&d.counts)
	if t.reverse != nil {
		var n int
		out, n = d.encodeReverse(out, m, dom, t, set)
		flows += n
	}
	return out, flows, records
}

// bind binds a template to the layout. A field that cannot fill a column is skipped, and the others are read.
func (d *Decoder) bind(dom *domain, t *inputTemplate) bool {
	direct, refused, err := d.bindFields(&t.Definition)
	if err == nil && t.reverse != nil {
		var more int
		t.reverse.Bound, more, err = d.bindFields(&t.reverse.Definition)
		d.counts.Drop(count.FieldRefused, more)
	}
	if err != nil {
		d.counts.Drop(count.TemplateMalformed, 1)
		dom.remove(t)
		return false
	}
	n := d.binder.Size(&t.Definition) // it was another template with another layout
	if !dom.exporter.Reserve(n - t.bytes) {
		d.counts.Drop(count.TemplateFlood, 1)
		dom.remove(t)
		return false
	}
	d.counts.Drop(count.FieldRefused, refused)
	t.bound, t.bytes = direct, n
	return true
}

// bindFields binds the fields of a template, and returns how many are refused.
func (d *Decoder) bindFields(def *templates.Definition) (b templates.Bound, refused int, err error) {
	b, wrong, err := d.binder.Bind(def)
	if d.detail.text == "" && len(wrong) > 0 {
		d.detail = detail{count.FieldRefused, reasonOf(wrong[0])}
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
func (d *Decoder) netflow5(dst []byte, m *message.Header, dom *domain) (out []byte, flows int, has sequence.Count) {
	d.begin(m, dom.exporter)
	d.holding = nil
	out, flows, _ = d.encode(dst, m, dom, &templates.NetFlow5, &d.five, m.Sets)
	d.five.CountMisfits(&d.counts)
	if d.watch != nil {
		d.watch.five(d, m, dom, m.Sets, out[len(dst):])
	}
	return out, flows, sequence.Count{All: uint32(flows), Known: !m.Wrong}
}
