package layout

import "github.com/hotpb/hotpb/go/schema"

// Class is a property of a packet, as a bit.
type Class uint16

// The classes that are asked for.
const (
	SourceAddress Class = 1 << iota
	TargetAddress
	Protocol
	SourcePort
	TargetPort
	serviceType
	tcpFlags
	timeToLive
	ICMPType
	ICMPCode
	ipVersion
	flowLabel
	etherType

	Addresses = SourceAddress | TargetAddress
	Ports     = SourcePort | TargetPort
	ICMP      = ICMPType | ICMPCode
)

// ClassOf returns what an element of IANA says about a packet; 0 if it is about something else, such as the flow.
func ClassOf(element uint16) Class {
	switch element {
	case 8, 27:
		return SourceAddress
	case 12, 28:
		return TargetAddress
	case 4:
		return Protocol
	case 7, 180, 182:
		return SourcePort
	case 11, 181, 183:
		return TargetPort
	case 5:
		return serviceType
	case 6:
		return tcpFlags
	case 192:
		return timeToLive
	case 32, 139:
		return ICMP
	case 176, 178:
		return ICMPType
	case 177, 179:
		return ICMPCode
	case 60:
		return ipVersion
	case 31:
		return flowLabel
	case EtherType:
		return etherType
	}
	return 0
}

// Replaced reports whether a record with an inner packet leaves out a source of a column: the outer packet's, after one
// of the inner packet. So columns that prefer the inner packet are all of that packet, even where it has a zero.
func Replaced(c *schema.Column, s schema.Source) bool {
	if s.Enterprise != 0 || ClassOf(s.Element) == 0 {
		return false
	}
	for _, before := range c.Sources {
		if before == s {
			return false
		}
		if before.Enterprise == Inner && ClassOf(before.Element) != 0 {
			return true
		}
	}
	return false
}
