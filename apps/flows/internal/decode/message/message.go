// Package message reads the headers of datagrams, and cuts these into sets.
package message

import (
	"encoding/binary"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Header is the content of a datagram's header, for all protocols, and the bytes that follow it.
type Header struct {
	Protocol flow.Protocol
	Domain   uint32 // observation domain or source id; for NetFlow v5 the engine
	Sequence uint32
	Uptime   uint32 // in milliseconds, not of IPFIX
	Rate     uint32 // for NetFlow v5; 0 if there is none
	Export   time.Time
	Boot     time.Time     // when the exporter was started; not for IPFIX
	Jumped   time.Duration // the shift of export and boot if they cannot be right
	Received time.Time
	Sets     []byte // for NetFlow v5, the records
	Records  uint32 // the expected number of records, for NetFlow v9: templates, options and flows
	Found    uint32 // the templates among them
	Wrong    bool   // the message has a fault, which is counted
}

// The lengths of headers and of NetFlow v5's records.
const (
	HeaderSize5, RecordSize5 = 24, 48
	mostRecords5             = 30 // of a datagram: it cannot hold more
	headerSize9              = 20
	HeaderSizeIPFIX          = 16
	SetHeaderSize            = 4
)

// Read reads the header of a datagram. It counts false lengths, and reads what is there.
func Read(p flow.Protocol, dg *flow.Datagram, c *count.Local) (m Header, ok bool) {
	b := dg.Payload
	size := [...]int{flow.NetFlow5: HeaderSize5, flow.NetFlow9: headerSize9, flow.IPFIX: HeaderSizeIPFIX}[p]
	if len(b) < size {
		c.Drop(count.Truncated, 1)
		return m, false
	}
	m = Header{Protocol: p, Received: dg.Received, Sets: b[size:]}
	drop := func(r count.Reason) {
		c.Drop(r, 1)
		m.Wrong = true
	}
	switch p {
	case flow.NetFlow5:
		m.Domain = uint32(binary.BigEndian.Uint16(b[20:]))
		m.Sequence = binary.BigEndian.Uint32(b[16:])
		m.Rate = uint32(binary.BigEndian.Uint16(b[22:]) & 0x3fff) // the other bits say how packets are chosen
		m.clock(b, int64(binary.BigEndian.Uint32(b[12:])))
		records := int(binary.BigEndian.Uint16(b[2:]))
		if records > mostRecords5 { // nothing in it can be trusted
			drop(count.Malformed)
			return m, false
		}
		switch size := records * RecordSize5; {
		case len(m.Sets) > size:
			if len(m.Sets)-size >= RecordSize5 { // else it is padding
				drop(count.Malformed)
			}
			m.Sets = m.Sets[:size]
		case len(m.Sets) < size:
			m.Sets = m.Sets[:len(m.Sets)-len(m.Sets)%RecordSize5]
			drop(count.Truncated)
		}
	case flow.NetFlow9:
		m.Records = uint32(binary.BigEndian.Uint16(b[2:]))
		m.Domain = binary.BigEndian.Uint32(b[16:])
		m.Sequence = binary.BigEndian.Uint32(b[12:])
		m.clock(b, 0)
	case flow.IPFIX:
		m.Domain = binary.BigEndian.Uint32(b[12:])
		m.Sequence = binary.BigEndian.Uint32(b[8:])
		m.Export = time.Unix(int64(binary.BigEndian.Uint32(b[4:])), 0)
		switch size := int(binary.BigEndian.Uint16(b[2:])); {
		case size < HeaderSizeIPFIX:
			drop(count.Malformed)
			return m, false
		case size < len(b):
			m.Sets = b[HeaderSizeIPFIX:size]
			if len(b)-size >= HeaderSizeIPFIX { // else it is padding
				drop(count.Malformed)
			}
		case size > len(b):
			drop(count.Truncated)
		}
	}
	return m, true
}

// clock reads the clock of a NetFlow header: when it was exported, and how long the exporter had been running then.
func (m *Header) clock(b []byte, nanos int64) {
	m.Uptime = binary.BigEndian.Uint32(b[4:])
	m.Export = time.Unix(int64(binary.BigEndian.Uint32(b[8:])), nanos)
	m.Boot = m.Export.Add(-time.Duration(m.Uptime) * time.Millisecond)
}

// NextSet cuts off the next set: its id and the bytes after its header. It returns nothing if no more can be read,
// and counts that unless it is the end. A set that extends beyond the end is not read, because its length may be
// wrong.
func (m *Header) NextSet(c *count.Local) (id uint16, body []byte, ok bool) {
	b := m.Sets
	if len(b) < SetHeaderSize { // the end, or padding
		return 0, nil, false
	}
	id, size := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	switch {
	case size < SetHeaderSize:
		if m.Protocol == flow.NetFlow9 && ipfix.Zeros(b) {
			return 0, nil, false // padding
		}
		c.Drop(count.Malformed, 1)
	case size > len(b):
		c.Drop(count.Truncated, 1)
	default:
		m.Sets = b[size:]
		return id, b[SetHeaderSize:size], true
	}
	m.Wrong = true
	return 0, nil, false
}
