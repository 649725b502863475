package decode

import (
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// template5 is NetFlow v5's record as a template, so that all protocols are read in one way.
var template5 = definitionOf5()

func definitionOf5() (def definition) {
	for i, f := range fields5 {
		def.add(i, f, flow.NetFlow5)
	}
	def.fields = fields5
	def.settle()
	return def
}

// fields5 are the fields of NetFlow v5's records.
var fields5 = []template.Field{
	{Element: 8, Length: 4}, {Element: 12, Length: 4}, {Element: 15, Length: 4}, {Element: 10, Length: 2},
	{Element: 14, Length: 2}, {Element: 2, Length: 4}, {Element: 1, Length: 4}, {Element: 22, Length: 4},
	{Element: 21, Length: 4}, {Element: 7, Length: 2}, {Element: 11, Length: 2}, {Element: ipfix.PaddingOctets, Length: 1},
	{Element: 6, Length: 1}, {Element: 4, Length: 1}, {Element: 5, Length: 1}, {Element: 16, Length: 2},
	{Element: 17, Length: 2}, {Element: 9, Length: 1}, {Element: 13, Length: 1}, {Element: ipfix.PaddingOctets, Length: 2},
}

// netflow5 encodes the records of a datagram of NetFlow v5.
func (d *Decoder) netflow5(dst []byte, m *message, dom *domain) (out []byte, flows int, has sequence.Count) {
	d.begin(m, dom.exporter)
	d.holding = nil
	out, flows, _ = d.encode(dst, m, dom, &template5, &d.five, m.sets)
	d.five.count(&d.counts)
	if d.watch != nil {
		d.watch.five(d, m, dom, m.sets, out[len(dst):])
	}
	return out, flows, sequence.Count{All: uint32(flows), Known: !m.wrong}
}
