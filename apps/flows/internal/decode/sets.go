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
		if id >= 256 {
			d.counts.Set = id
		}
		templates, options := setID(m.Protocol, id)
		t := dom.Template(id)
		if id >= 256 && (t == nil || t.Borrowed) {
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
			dom.Wait(m, id, body)
			has.Known = false
			if d.watch != nil {
				d.watch.waits(d, dom, m, id, body)
			}
		case t.Options:
			records := uint32(d.optionsSet(dom, m, t, body))
			has.Options += records
			has.All += records
			var released int
			out, released = d.releaseRated(out, m, dom.Exporter)
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
