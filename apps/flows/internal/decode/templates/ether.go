package templates

import "github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"

// EtherTypes that templates imply.
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
)

// addresses are the places that say which version of IP a record is about.
type addresses struct {
	version   place    // element 60
	four, six [2]place // source and target
	ether     place    // the EtherType itself
	either    bool     // records may be of either version
	implied   uint16   // the EtherType of all records; 0 if that varies, or records have it themselves
	quick     bool     // the version is one byte at a fixed place
}

func (a *addresses) add(element uint16, at place) {
	switch element {
	case 60:
		a.version = at
	case 8:
		a.four[0] = at
	case 12:
		a.four[1] = at
	case 27:
		a.six[0] = at
	case 28:
		a.six[1] = at
	case 256:
		a.ether = at
	}
}

func hasAny(places [2]place) bool { return places != [2]place{} }

// etherOf returns the EtherType of a record's outer packet by its version, else by its addresses; 0 if nothing says it.
func (def *Definition) etherOf(b []byte) uint16 { return def.outer.addresses.etherOf(def, b) }

// innerEtherOf returns that of the inner packet, if there is one.
func (def *Definition) innerEtherOf(b []byte, k Traits) uint16 {
	if !k.Tunnelled {
		return 0
	}
	return def.inner.addresses.etherOf(def, b)
}

func (a *addresses) etherOf(def *Definition, b []byte) uint16 {
	if a.quick {
		switch b[a.version.at] {
		case 4:
			return etherIPv4
		case 6:
			return etherIPv6
		}
	}
	if !a.either {
		return a.implied
	}
	if a.version.field > 0 {
		switch v, _ := ipfix.Number(def.field(b, a.version)); v {
		case 4:
			return etherIPv4
		case 6:
			return etherIPv6
		}
	}
	switch {
	case def.anySet(b, &a.six):
		return etherIPv6
	case def.anySet(b, &a.four):
		return etherIPv4
	}
	return 0
}

// anySet reports whether one of some fields is not zero.
func (def *Definition) anySet(b []byte, places *[2]place) bool {
	for _, p := range places {
		if p.field > 0 && !ipfix.Zeros(def.field(b, p)) {
			return true
		}
	}
	return false
}

// settle looks at the whole packet.
func (a *addresses) settle(def *Definition) {
	a.quick = a.ether.field == 0 && a.version.field > 0 && a.version.field <= def.fixed && def.Fields[a.version.field-1].Length == 1
	a.either = a.ether.field == 0 && (a.version.field > 0 || hasAny(a.four) && hasAny(a.six))
	switch {
	case a.ether.field > 0 || a.either:
	case hasAny(a.four):
		a.implied = etherIPv4
	case hasAny(a.six):
		a.implied = etherIPv6
	}
}
