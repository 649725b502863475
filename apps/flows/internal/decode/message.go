package decode

import (
	"encoding/binary"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// message is the content of a datagram's header, for all protocols, and the bytes that follow it.
type message struct {
	protocol flow.Protocol
	domain   uint32 // observation domain or source id; for NetFlow v5 the engine
	sequence uint32
	uptime   uint32 // in milliseconds, not of IPFIX
	rate     uint32 // for NetFlow v5; 0 if there is none
	export   time.Time
	boot     time.Time     // when the exporter was started; not for IPFIX
	jumped   time.Duration // the shift of export and boot if they cannot be right
	received time.Time
	sets     []byte // for NetFlow v5, the records
	records  uint32 // the expected number of records, for NetFlow v9: templates, options and flows
	found    uint32 // the templates among them
	wrong    bool   // the message has a fault, which is counted
}

// The lengths of headers and of NetFlow v5's records.
const (
	headerSize5, recordSize5 = 24, 48
	mostRecords5             = 30 // of a datagram: it cannot hold more
	headerSize9              = 20
	headerSizeIPFIX          = 16
	setHeaderSize            = 4
)

// header reads the header of a datagram. It counts false lengths, and reads what is there.
func header(p flow.Protocol, dg *flow.Datagram, c *count.Local) (m message, ok bool) {
	b := dg.Payload
	size := [...]int{flow.NetFlow5: headerSize5, flow.NetFlow9: headerSize9, flow.IPFIX: headerSizeIPFIX}[p]
	if len(b) < size {
		c.Drop(count.Truncated, 1)
		return m, false
	}
	m = message{protocol: p, received: dg.Received, sets: b[size:]}
	drop := func(r count.Reason) {
		c.Drop(r, 1)
		m.wrong = true
	}
	switch p {
	case flow.NetFlow5:
		m.domain = uint32(binary.BigEndian.Uint16(b[20:]))
		m.sequence = binary.BigEndian.Uint32(b[16:])
		m.rate = uint32(binary.BigEndian.Uint16(b[22:]) & 0x3fff) // the other bits say how packets are chosen
		m.clock(b, int64(binary.BigEndian.Uint32(b[12:])))
		records := int(binary.BigEndian.Uint16(b[2:]))
		if records > mostRecords5 { // nothing in it can be trusted
			drop(count.Malformed)
			return m, false
		}
		switch size := records * recordSize5; {
		case len(m.sets) > size:
			if len(m.sets)-size >= recordSize5 { // else it is padding
				drop(count.Malformed)
			}
			m.sets = m.sets[:size]
		case len(m.sets) < size:
			m.sets = m.sets[:len(m.sets)-len(m.sets)%recordSize5]
			drop(count.Truncated)
		}
	case flow.NetFlow9:
		m.records = uint32(binary.BigEndian.Uint16(b[2:]))
		m.domain = binary.BigEndian.Uint32(b[16:])
		m.sequence = binary.BigEndian.Uint32(b[12:])
		m.clock(b, 0)
	case flow.IPFIX:
		m.domain = binary.BigEndian.Uint32(b[12:])
		m.sequence = binary.BigEndian.Uint32(b[8:])
		m.export = time.Unix(int64(binary.BigEndian.Uint32(b[4:])), 0)
		switch size := int(binary.BigEndian.Uint16(b[2:])); {
		case size < headerSizeIPFIX:
			drop(count.Malformed)
			return m, false
		case size < len(b):
			m.sets = b[headerSizeIPFIX:size]
			if len(b)-size >= headerSizeIPFIX { // else it is padding
				drop(count.Malformed)
			}
		case size > len(b):
			drop(count.Truncated)
		}
	}
	return m, true
}

// clock reads the clock of a NetFlow header: when it was exported, and how long the exporter had been running then.
func (m *message) clock(b []byte, nanos int64) {
	m.uptime = binary.BigEndian.Uint32(b[4:])
	m.export = time.Unix(int64(binary.BigEndian.Uint32(b[8:])), nanos)
	m.boot = m.export.Add(-time.Duration(m.uptime) * time.Millisecond)
}

// nextSet cuts off the next set: its id and the bytes after its header. It returns nothing if no more can be read,
// and counts that unless it is the end. A set that extends beyond the end is not read, because its length may be
// wrong.
func (m *message) nextSet(c *count.Local) (id uint16, body []byte, ok bool) {
	b := m.sets
	if len(b) < setHeaderSize { // the end, or padding
		return 0, nil, false
	}
	id, size := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	switch {
	case size < setHeaderSize:
		if m.protocol == flow.NetFlow9 && ipfix.Zeros(b) {
			return 0, nil, false // padding
		}
		c.Drop(count.Malformed, 1)
	case size > len(b):
		c.Drop(count.Truncated, 1)
	default:
		m.sets = b[size:]
		return id, b[setHeaderSize:size], true
	}
	m.wrong = true
	return 0, nil, false
}
