// Package flow has the types that pass between the parts of the collector: datagrams in, chunks of encoded flows
// out.
package flow

import (
	"net/netip"
	"time"
)

// Protocol is the protocol of a datagram.
type Protocol uint8

// The protocols. Their numbers are the values of the column with the element FlowType, so they must not change.
const (
	Unknown Protocol = iota
	NetFlow5
	NetFlow9
	IPFIX
	SFlow5
	Protocols // the number of protocols
)

var names = [Protocols]string{"unknown", "netflow5", "netflow9", "ipfix", "sflow5"}

// String is the name in metrics and logs.
func (p Protocol) String() string { return names[p] }

// Datagram is a datagram from an exporter.
type Datagram struct {
	Received time.Time
	From     netip.AddrPort // IPv4 addresses are not mapped into IPv6
	Payload  []byte         // belongs to the caller; must not be kept
	Cut      bool           // the payload is only the beginning: it was longer than --max-datagram
}

// Detect detects the protocol from the first bytes: all protocols share ports.
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
