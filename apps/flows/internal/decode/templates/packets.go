package templates

import (
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// A template may have fields of two packets, of which one carries the other in a tunnel. The fields of packets, in
// order, are those of the outer packet and then those of the inner one:
//
//	27 28 7 11 4    8 12 7 11 4
//	outer           inner
//
// The inner packet is the longest end of that list in which no property of a packet repeats; the outer packet is the
// longest beginning. Both have what lies in both. There are two packets only if an address, the protocol or a port is
// there twice, or if anything is, and addresses of the two versions have other fields of packets between them. Addresses
// of both versions beside each other are of one packet, of which a record has one version.

// packet are the fields of a template that are about one packet.
type packet struct {
	fields    []int // by index, in order
	addresses addresses
	protocol  place
	ports     []int
	target    int      // the field of element 11, from 1; 0 if there is none
	icmp      *[2]pair // of 32 and 139; nil if there are none
	reported  bool     // records have type or code of ICMP
	quick     bool     // the traits are those of one byte at a fixed place, the protocol
}

// pair are fields of the type and the code of ICMP, in a packet that has both in one number, too.
type pair struct{ kind, code place }

// trait is what the fields of a packet mean, as far as that varies between records of a template.
type trait uint8

// The bits of a trait.
const (
	icmp4  trait = 1 << iota // the packet is of ICMP: it has no ports
	icmp6                    // likewise of version 6
	apart4                   // it has type and code of ICMP in fields of their own
	apart6                   // likewise of version 6
)

// Traits are those of both packets, if a record has an inner one.
type Traits struct {
	outer, inner trait
	Tunnelled    bool
}

// The protocols whose packets have type and code in place of ports.
const (
	protocolICMP   = 1
	protocolICMPv6 = 58
)

// Settle finds the packets of a template, when all fields are known.
func (def *Definition) Settle() {
	def.Sampling = sampling.Fields{
		Template: def.ID, Sampler: def.sampler.field > 0, Sequence: def.sequence.field > 0,
		In: def.in.field > 0, Out: def.out.field > 0, Direction: def.direction.field > 0,
	}
	def.fixed = slices.IndexFunc(def.Fields, func(f template.Field) bool { return f.Length == template.VariableLength })
	if def.fixed < 0 {
		def.fixed = len(def.Fields)
	}
	var list []int
	repeated := layout.Class(0)
	last := map[uint16]int{} // field of each element, from 1
	twice := map[uint16]bool{}
	for i, f := range def.Fields {
		if f.Enterprise != 0 {
			continue
		}
		class := layout.ClassOf(f.Element)
		if class != 0 {
			list = append(list, i)
		}
		if last[f.Element] > 0 {
			repeated |= class
			twice[f.Element] = true
		}
		last[f.Element] = i + 1
	}
	const ofTunnels = layout.Addresses | layout.Protocol | layout.Ports
	def.tunnels = repeated&ofTunnels != 0 || repeated != 0 && def.apart(list)
	outer, inner := list, []int(nil)
	if def.tunnels {
		outer = list[:def.once(list)]
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		inner = reversed[:def.once(reversed)]
		slices.Reverse(inner)
	}
	def.outer = def.packet(outer)
	if def.tunnels {
		packet := def.packet(inner)
		def.inner = &packet
	}
	for i := range 2 {
		for _, f := range inner {
			isAddress := layout.ClassOf(def.Fields[f].Element)&layout.Addresses != 0
			if !slices.Contains(outer, f) && (isAddress || i == 1) {
				def.own = append(def.own, def.placeOf(f))
			}
		}
		if len(def.own) > 0 {
			break
		}
	}
	def.vary = def.tunnels || def.outer.varies()
	for element := range twice {
		if !def.tunnels || layout.ClassOf(element) == 0 {
			def.repeats = append(def.repeats, last[element]-1)
		}
	}
}

// varies reports whether records differ in the packet's traits.
func (p *packet) varies() bool {
	return p.protocol.field > 0 && len(p.ports) > 0 || p.icmp != nil
}

// once returns how many fields there are before the first that repeats a property of a packet.
func (def *Definition) once(list []int) int {
	var before layout.Class // without those of addresses beside this field
	var beside []uint16
	for n, i := range list {
		element := def.Fields[i].Element
		class := layout.ClassOf(element)
		if class&layout.Addresses == 0 {
			for _, e := range beside {
				before |= layout.ClassOf(e)
			}
			beside = beside[:0]
		}
		if before&class != 0 || slices.Contains(beside, element) {
			return n
		}
		if class&layout.Addresses != 0 {
			beside = append(beside, element)
		} else {
			before |= class
		}
	}
	return len(list)
}

// apart reports whether addresses of the two versions have other fields of packets between them.
func (def *Definition) apart(list []int) bool {
	var before, beside layout.Class
	for _, i := range list {
		class := layout.ClassOf(def.Fields[i].Element)
		if class&layout.Addresses == 0 {
			before, beside = before|beside, 0
			continue
		}
		if before&class != 0 {
			return true
		}
		beside |= class
	}
	return false
}

func (def *Definition) placeOf(field int) place {
	at := 0
	for _, f := range def.Fields[:field] {
		at += int(f.Length)
		if f.Length == template.VariableLength {
			at += 1 - template.VariableLength
		}
	}
	return place{field + 1, at}
}

// packet describes the packet of some fields. Of an element that repeats, the first counts.
func (def *Definition) packet(list []int) (p packet) {
	first := map[uint16]place{}
	for _, i := range list {
		element := def.Fields[i].Element
		class, at := layout.ClassOf(element), def.placeOf(i)
		p.fields = append(p.fields, i)
		p.reported = p.reported || class&layout.ICMP != 0
		if class&layout.Ports != 0 {
			p.ports = append(p.ports, i)
		}
		if _, ok := first[element]; ok {
			continue
		}
		first[element] = at
		p.addresses.add(element, at)
		switch element {
		case 4:
			p.protocol = at
		case 11:
			p.target = i + 1
		}
	}
	icmp := [2]pair{}
	for i, e := range [...]uint16{32, 139} {
		if first[e].field > 0 {
			icmp[i] = pair{first[176+2*uint16(i)], first[177+2*uint16(i)]}
		}
	}
	if icmp != [2]pair{} {
		p.icmp = &icmp
	}
	p.addresses.settle(def)
	p.quick = !def.tunnels && p.icmp == nil && p.protocol.field > 0 && p.protocol.field <= def.fixed &&
		def.Fields[p.protocol.field-1].Length == 1
	return p
}

// field returns a field of the record at the beginning of b, which is whole.
func (def *Definition) field(b []byte, p place) []byte {
	if p.field <= def.fixed {
		return b[p.at : p.at+int(def.Fields[p.field-1].Length)]
	}
	value, _ := def.value(b, p)
	return value
}

// TraitsOf returns the traits of the record at the beginning of b, which is whole.
func (def *Definition) TraitsOf(b []byte) (k Traits) {
	switch {
	case !def.vary:
		return k
	case def.outer.quick:
		k.outer = traitOfProtocol(uint64(b[def.outer.protocol.at]))
		return k
	}
	k.outer = def.traitOf(&def.outer, b)
	if !def.tunnels {
		return k
	}
	for _, p := range def.own {
		if !ipfix.Zeros(def.field(b, p)) {
			k.Tunnelled, k.inner = true, def.traitOf(def.inner, b)
			break
		}
	}
	return k
}

// sameTraits reports whether another record has the traits that a record says.
func (def *Definition) sameTraits(b []byte, s *Attributes) bool {
	return s.Traits == def.TraitsOf(b) && s.InnerEther == def.innerEtherOf(b, s.Traits)
}

func (def *Definition) traitOf(p *packet, b []byte) (k trait) {
	if p.protocol.field > 0 && len(p.ports) > 0 {
		v, _ := ipfix.Number(def.field(b, p.protocol))
		k = traitOfProtocol(v)
	}
	if p.icmp == nil {
		return k
	}
	for i, fields := range p.icmp {
		for _, at := range [...]place{fields.kind, fields.code} {
			if at.field > 0 && !ipfix.Zeros(def.field(b, at)) {
				k |= apart4 << i
			}
		}
	}
	return k
}

func traitOfProtocol(protocol uint64) trait {
	switch protocol {
	case protocolICMP:
		return icmp4
	case protocolICMPv6:
		return icmp6
	}
	return 0
}

// names are the names of the fields in records of some traits.
func (def *Definition) names(k Traits) (n template.Names) {
	if def.tunnels {
		for i, f := range def.Fields {
			if f.Enterprise == 0 && layout.ClassOf(f.Element) != 0 && !slices.Contains(def.outer.fields, i) {
				n.Hidden = append(n.Hidden, i)
			}
		}
	}
	def.outer.name(def.Fields, 0, k.outer, &n)
	if k.Tunnelled { // perhaps in a sampled frame
		n.Skip = layout.Replaced
	}
	if k.Tunnelled && def.inner != nil {
		for _, i := range def.inner.fields {
			isPort := layout.ClassOf(def.Fields[i].Element)&layout.Ports != 0
			if !isPort || k.inner&(icmp4|icmp6) == 0 {
				n.Views = append(n.Views, template.View{Field: i, Source: schema.Source{Enterprise: layout.Inner, Element: def.Fields[i].Element}})
			}
		}
		def.inner.name(def.Fields, layout.Inner, k.inner, &n)
	}
	for _, i := range def.repeats {
		n.Views = append(n.Views, template.View{Field: i, Source: schema.Source{Enterprise: layout.Inner, Element: def.Fields[i].Element}})
	}
	return n
}

// name adds the names of type and code of ICMP, which may be in one number or in the port, and takes those of ports
// from fields that are none.
func (p *packet) name(fields []template.Field, enterprise uint32, k trait, n *template.Names) {
	split := func(field int, kind uint16) {
		n.Views = append(n.Views,
			template.View{Field: field, Octet: 2, Source: schema.Source{Enterprise: enterprise, Element: kind}},
			template.View{Field: field, Octet: 1, Source: schema.Source{Enterprise: enterprise, Element: kind + 1}})
	}
	for i, element := range [...]uint16{32, 139} {
		at := slices.IndexFunc(p.fields, func(f int) bool { return fields[f].Element == element })
		if at >= 0 && k&(apart4<<i) == 0 {
			split(p.fields[at], 176+2*uint16(i))
		}
	}
	if k&(icmp4|icmp6) == 0 {
		return
	}
	if enterprise == 0 {
		n.Hidden = append(n.Hidden, p.ports...)
	}
	if !p.reported && p.target > 0 {
		kind := uint16(176)
		if k&icmp6 != 0 {
			kind = 178
		}
		split(p.target-1, kind)
	}
}
