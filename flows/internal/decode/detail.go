package decode

import (
	"encoding/binary"
	"fmt"

	"github.com/hotpb/hotpb/flows/internal/count"
	"github.com/hotpb/hotpb/flows/internal/flow"
)

// detail is what is wrong, where the reason alone does not say it.
type detail struct {
	reason count.Reason
	text   string
}

// mostDetails is how many reasons of a datagram have a detail.
const mostDetails = 8

// explain notes what is wrong, once for each reason of a datagram.
func (d *Decoder) explain(r count.Reason, text string) {
	if len(d.details) < mostDetails && detailOf(d.details, r) == "" {
		d.details = append(d.details, detail{r, text})
	}
}

func detailOf(list []detail, r count.Reason) string {
	for _, x := range list {
		if x.reason == r {
			return x.text
		}
	}
	return ""
}

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
