package sampling

import (
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
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

// scope takes a field of an options record that says what the record is about. Scopes that are not a part, such as
// the metering process, mean the whole.
func (p *part) scope(protocol flow.Protocol, scope bool, element uint16, value []byte) {
	v, ok := ipfix.Number(value)
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
	case ipfix.SamplerID, ipfix.SelectorID:
		if p.kind == anySampler {
			p.kind, p.id = oneSampler, v
		}
	case ipfix.SelectionSequenceID:
		p.kind, p.id = oneSequence, v
	case ipfix.IngressInterface:
		p.interfaceIs(v, ingress, element, value)
	case ipfix.EgressInterface:
		p.interfaceIs(v, egress, element, value)
	}
	if !scope {
		return
	}
	switch element {
	case ipfix.TemplateID:
		p.template = uint32(uint16(v))
	case ipfix.ObservationPointID, ipfix.LineCardID, ipfix.PortID, 82, 234, 235, 252, 253: // also names, VRFs and physical interfaces
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

// String is the part in words.
func (p part) String() string {
	var words []string
	switch p.kind {
	case oneSampler:
		words = append(words, fmt.Sprintf("sampler %d", p.id))
	case oneSequence:
		words = append(words, fmt.Sprintf("selection sequence %d", p.id))
	}
	switch p.way {
	case bothWays:
		words = append(words, fmt.Sprintf("interface %d", p.port))
	case ingress:
		words = append(words, fmt.Sprintf("input interface %d", p.port))
	case egress:
		words = append(words, fmt.Sprintf("output interface %d", p.port))
	}
	if p.template != 0 {
		words = append(words, fmt.Sprintf("template %d", p.template))
	}
	if p.scopes != 0 {
		words = append(words, "a scope that no record names")
	}
	if words == nil {
		return "the whole domain"
	}
	return strings.Join(words, ", ")
}
