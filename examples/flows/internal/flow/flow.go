// Package flow has what goes from one part of the collector to the next: datagrams in, chunks of encoded flows out.
package flow

import (
	"net/netip"
	"time"
)

// Protocol is what a datagram is encoded with.
type Protocol uint8

// The protocols. Their numbers are those of the column that has the element of FlowType, so they stay as they are.
const (
	Unknown Protocol = iota
	NetFlow5
	NetFlow9
	IPFIX
	SFlow5
	Protocols // how many there are
)

var names = [Protocols]string{"unknown", "netflow5", "netflow9", "ipfix", "sflow5"}

// String is the name in metrics and logs.
func (p Protocol) String() string { return names[p] }

// Datagram is what one exporter has sent.
type Datagram struct {
	Received time.Time
	From     netip.AddrPort // IPv4 addresses are not mapped into IPv6
	Payload  []byte         // belongs to who gave it; not to be kept
}

// Detect tells the protocol by the first bytes: all share ports.
func Detect(payload []byte) Protocol {
	if len(payload) < 4 {
		return Unknown
	}
	switch uint16(payload[0])<<8 | uint16(payload[1]) {
	case 5:
		return NetFlow5
	case 9:
		return NetFlow9
	case 10:
		return IPFIX
	case 0:
		if payload[2] == 0 && payload[3] == 5 {
			return SFlow5
		}
	}
	return Unknown
}
