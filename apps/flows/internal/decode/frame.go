package decode

import (
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// frames are the places of a sampled packet.
type frames struct {
	section place
	size    place // of the frame, of which the section is the beginning
	isIP    bool  // the section begins with IP's header, not with Ethernet's
}

func (f *frames) add(element uint16, at place) {
	switch element {
	case ipfix.FrameSection, ipfix.Layer2Section, ipfix.IpHeaderSection:
		if f.section.field == 0 {
			f.section, f.isIP = at, element == ipfix.IpHeaderSection
		}
	case ipfix.FrameSize:
		if f.size.field == 0 {
			f.size = at
		}
	}
}

// encodeFrames encodes records that hold a sampled packet: what its header says, and then what the record itself says.
func (d *Decoder) encodeFrames(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	r := d.record
	octets, packets := d.values.Octets, d.values.Packets // the record's own
	for len(set) >= def.least {
		section, size := def.value(set, def.frames.section)
		if size == 0 {
			d.malformed(m)
			break
		}
		length := uint64(0)
		if def.frames.size.field > 0 {
			length, _ = def.number(set, def.frames.size)
		}
		protocol := sflow.Ethernet
		if def.frames.isIP {
			protocol = sflow.IP(section)
		}
		d.values.Octets, d.values.Packets = octets, max(1, packets)
		if parsed := d.sflow.Parse(protocol, uint32(length), section); octets == 0 {
			d.values.Octets = parsed
		}
		d.values.EtherType, d.values.InnerEtherType, d.prefix = 0, 0, nil
		k := def.traitsOf(set)
		k.tunnelled = k.tunnelled || d.sflow.Tunnelled()
		if !d.choose(dom, def, b, k) {
			m.wrong = true
			set = set[size:]
			continue
		}
		d.layout.Begin(r, &d.values)
		d.sflow.Fill(r)
		n, err := b.chosen.AppendRecord(r, set, clock)
		if err != nil {
			d.malformed(m)
			break
		}
		dst = d.finish(dst)
		records++
		set = set[n:]
	}
	d.values.Octets, d.values.Packets = octets, packets
	return dst, records
}
