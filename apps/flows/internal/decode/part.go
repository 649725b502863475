package decode

import (
	"hash/crc32"
	"math"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// part is what a sampling rate is about. The zero value is the whole domain. It has no padding, so that maps hash it
// fast.
type part struct {
	id       uint64 // of the sampler or sequence
	port     uint32 // interface, unless way is noWay
	scopes   uint32 // a hash of scopes that no record is matched with, such as a line card; 0 for none
	template uint32 // 0 for all
	way      way
	kind     kind
}

// kind is what chose the packets.
type kind uint16

const (
	anySampler  kind = iota
	oneSampler       // or selector
	oneSequence      // selection sequence of RFC 5476
)

// way is how packets pass an interface.
type way uint16

const (
	noWay way = iota
	bothWays
	ingress
	egress
)

// The scope types of NetFlow v9, which are no elements.
const (
	scopeInterface9 = 2
	scopeLineCard9  = 3
	scopeTemplate9  = 5
)

// The elements that say what options are about.
const (
	ingressInterface    = 10
	egressInterface     = 14
	flowDirection       = 61
	observationPointID  = 138
	lineCardID          = 141
	portID              = 142
	templateID          = 145
	selectionSequenceID = 301
)

// scope takes a field of an options record that says what the record is about. Scopes that are not a part, such as
// the metering process, mean the whole.
func (p *part) scope(protocol flow.Protocol, scope bool, element uint16, value []byte) {
	v, ok := number(value)
	if !ok {
		if scope && len(value) > 0 { // a name, or an id of a length that no record has
			p.mix(element, value)
		}
		return
	}
	if protocol == flow.NetFlow9 && scope {
		switch element {
		case scopeInterface9:
			p.interfaceIs(v, bothWays, element, value)
		case scopeTemplate9:
			p.template = uint32(uint16(v))
		case scopeLineCard9:
			p.mix(element, value)
		}
		return
	}
	switch element {
	case samplerID, selectorID:
		if p.kind == anySampler {
			p.kind, p.id = oneSampler, v
		}
	case selectionSequenceID:
		p.kind, p.id = oneSequence, v
	case ingressInterface:
		p.interfaceIs(v, ingress, element, value)
	case egressInterface:
		p.interfaceIs(v, egress, element, value)
	}
	if !scope {
		return
	}
	switch element {
	case templateID:
		p.template = uint32(uint16(v))
	case observationPointID, lineCardID, portID, 82, 234, 235, 252, 253: // also names, VRFs and physical interfaces
		p.mix(element, value)
	}
}

// interfaceIs takes an interface. Rates for pairs of interfaces are kept, but no record is matched with them.
func (p *part) interfaceIs(port uint64, w way, element uint16, value []byte) {
	if p.way != noWay || port > math.MaxUint32 {
		p.mix(element, value)
		return
	}
	p.port, p.way = uint32(port), w
}

// directed takes the direction in which packets pass the interface: 0 in, 1 out.
func (p *part) directed(direction uint64) {
	if p.way != noWay && direction <= 1 {
		p.way = [...]way{ingress, egress}[direction]
	}
}

func (p *part) mix(element uint16, value []byte) {
	p.scopes = crc32.Update(p.scopes+uint32(element), crc32.IEEETable, value) | 1
}
