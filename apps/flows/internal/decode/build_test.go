package decode

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// build makes datagrams of one exporter and domain, with the right sequence numbers and lengths.
type build struct {
	protocol flow.Protocol
	domain   uint32
	sequence uint32
	export   uint32 // 1_800_000_000 when it is 0
	uptime   uint32
}

func be16(v ...int) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func be32(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// wide is a number in n bytes, or as many zeros before it.
func wide(v uint64, n int) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, max(0, n-8)), v)
	return b[len(b)-n:]
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// set is a set with its header.
func set(id int, body ...[]byte) []byte {
	b := join(body...)
	return join(be16(id, 4+len(b)), b)
}

// datagram is a message with some sets. The sequence number stays as it is.
func (b *build) datagram(sets ...[]byte) []byte {
	export := b.export
	if export == 0 {
		export = 1_800_000_000
	}
	body := join(sets...)
	switch b.protocol {
	case flow.NetFlow5:
		n := len(body) / message.RecordSize5
		return join(be16(5, n), be32(b.uptime, export, 0, b.sequence), be16(int(b.domain), 0), body)
	case flow.NetFlow9:
		records := len(slices.DeleteFunc(slices.Clone(sets), ipfix.Zeros)) // one in each set, at least
		return join(be16(9, records), be32(b.uptime, export, b.sequence, b.domain), body)
	}
	return join(be16(10, message.HeaderSizeIPFIX+len(body)), be32(export, b.sequence, b.domain), body)
}

// fieldsOf describes fields as templates do.
func (b *build) fieldsOf(fields []template.Field) (d []byte) {
	for _, f := range fields {
		element := int(f.Element)
		if f.Enterprise != 0 {
			element |= 0x8000
		}
		d = append(d, be16(element, int(f.Length))...)
		if f.Enterprise != 0 {
			d = append(d, be32(f.Enterprise)...)
		}
	}
	return d
}

// templateRecord is a template in a set.
func (b *build) templateRecord(id int, fields ...template.Field) []byte {
	return join(be16(id, len(fields)), b.fieldsOf(fields))
}

// template is a set with one template.
func (b *build) template(id int, fields ...template.Field) []byte {
	return set(map[flow.Protocol]int{flow.NetFlow9: 0, flow.IPFIX: 2}[b.protocol], b.templateRecord(id, fields...))
}

// options is a set with an options template, whose first fields are the scopes.
func (b *build) options(id, scopes int, fields ...template.Field) []byte {
	if b.protocol == flow.NetFlow9 {
		return set(1, be16(id, 4*scopes, 4*(len(fields)-scopes)), b.fieldsOf(fields))
	}
	return set(3, be16(id, len(fields), scopes), b.fieldsOf(fields))
}
