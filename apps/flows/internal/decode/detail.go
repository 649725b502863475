package decode

import (
	"encoding/binary"
	"fmt"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Sentence says in words why something was lost.
func (l *Loss) Sentence() string {
	if l.Detail != "" {
		return l.Detail
	}
	return l.Reason.Sentence()
}

// ForgetExamples makes the store pass on examples of all losses, also of those that it has passed on before.
func (s *Store) ForgetExamples() {
	s.examples.Lock()
	clear(s.told)
	s.examples.Unlock()
}

// unexplained reports whether an example may need a detail: strangers' faults must not cost texts that nobody reads.
func (d *Decoder) unexplained() bool { return d.detail.text == "" && d.store.report != nil }

// templateFault says why a template cannot be read.
func templateFault(p flow.Protocol, b []byte, options bool) string {
	id, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	before, scopes := 4, 0
	if options {
		if len(b) < 6 {
			return fmt.Sprintf("options template %d ends within its header", id)
		}
		before, scopes = 6, int(binary.BigEndian.Uint16(b[4:]))
		if p == flow.NetFlow9 {
			first, second := n, scopes
			if first%4 != 0 || second%4 != 0 {
				return fmt.Sprintf("options template %d: scopes of %d bytes and options of %d bytes are not multiples of 4", id, first, second)
			}
			n, scopes = (first+second)/4, first/4
		}
	}
	switch {
	case id < 256:
		return fmt.Sprintf("template %d: numbers below 256 are no templates", id)
	case n == 0:
		return fmt.Sprintf("template %d has no fields", id)
	case scopes > n:
		return fmt.Sprintf("options template %d: %d scopes are more than its %d fields", id, scopes, n)
	}
	return fmt.Sprintf("template %d: the set has %d bytes for %d fields", id, len(b)-before, n)
}
