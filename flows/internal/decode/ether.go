package decode

// EtherTypes that templates imply.
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
)

// addresses are the places that say which version of IP a record is about.
type addresses struct {
	version   place // element 60
	four, six place // any address
	ether     place // the EtherType itself
	quick     bool  // the version is one byte at a fixed place
}

func (a *addresses) add(element uint16, at place) {
	var to *place
	switch element {
	case 60:
		to = &a.version
	case 8, 12:
		to = &a.four
	case 27, 28:
		to = &a.six
	case 256:
		to = &a.ether
	default:
		return
	}
	if to.field == 0 {
		*to = at
	}
}

// varies reports whether records of the template may be of either version.
func (a *addresses) varies() bool {
	return a.ether.field == 0 && (a.version.field > 0 || a.four.field > 0 && a.six.field > 0)
}

// always is the EtherType of all records of the template; 0 if that varies, or records have it themselves.
func (a *addresses) always() uint64 {
	switch {
	case a.ether.field > 0 || a.varies():
	case a.four.field > 0:
		return etherIPv4
	case a.six.field > 0:
		return etherIPv6
	}
	return 0
}

// etherOf returns the EtherType of a record by its version, else by its addresses; 0 if nothing says it.
func (def *definition) etherOf(b []byte) uint64 {
	a := &def.addresses
	if a.quick {
		switch b[a.version.at] {
		case 4:
			return etherIPv4
		case 6:
			return etherIPv6
		}
	}
	if !a.varies() {
		return a.always()
	}
	set := func(p place) bool {
		if p.field == 0 {
			return false
		}
		value, _ := def.value(b, p)
		return !zeros(value)
	}
	if a.version.field > 0 {
		switch v, _ := def.number(b, a.version); v {
		case 4:
			return etherIPv4
		case 6:
			return etherIPv6
		}
	}
	switch {
	case set(a.six):
		return etherIPv6
	case set(a.four):
		return etherIPv4
	}
	return 0
}

// settle looks at the whole template.
func (a *addresses) settle(def *definition) {
	a.quick = !def.variable && a.ether.field == 0 && a.version.field > 0 && def.fields[a.version.field-1].Length == 1
}
