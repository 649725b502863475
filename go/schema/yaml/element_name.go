package yaml

import "sync"

var elementNames = sync.OnceValue(func() map[uint16]string {
	all := map[uint16]string{}
	for name, number := range registry().numbers {
		all[number] = name
	}
	return all
})

// ElementName returns IANA's name of an information element, which `from` accepts in place of the number; "" if this
// package does not know it.
func ElementName(element uint16) string { return elementNames()[element] }
