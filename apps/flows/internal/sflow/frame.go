package sflow

import (
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Ethernet is the protocol of a header that Parse reads.
const Ethernet uint32 = headerEthernet

// IP returns the protocol of a header that begins with IP's.
func IP(b []byte) uint32 {
	if len(b) > 0 && b[0]>>4 == 6 {
		return headerIPv6
	}
	return headerIPv4
}

// Parse reads the first bytes of a packet that another protocol has sampled, and returns its octets. length is that of
// the frame; 0 if it is unknown.
func (d *Decoder) Parse(protocol, length uint32, header []byte) (octets uint64) {
	r := &d.record
	r.reset()
	r.sampledHeader(protocol, length, 0, header)
	r.finish()
	return uint64(r.word(atBytes))
}

// Tunnelled reports whether the packet of Parse has an inner packet.
func (d *Decoder) Tunnelled() bool { return d.record.variant.inner != none }

// Fill sets the columns that the packet of Parse fills.
func (d *Decoder) Fill(r *schema.Record) {
	b := d.template()
	_, _ = b.template.AppendRecord(r, d.record.bytes[:], template.Clock{})
	d.count(&b.misfits, b.template.AllMisfits())
}
