package decode

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"google.golang.org/protobuf/encoding/protodelim"
)

// What goflow2's decoder and producer make of the captures is what we make of them.
func TestCapturesAreWhatGoflow2sProducerMakesOfThem(t *testing.T) {
	for _, c := range captures {
		r, g := newRig(t, anyClock(), standard(t), nil, Options{}), newGoflow2(t)
		flows := 0
		for i, b := range capture(t, c.name) {
			var got, want []string
			for _, f := range r.send(b) {
				got = append(got, onlyShared(f, c.protocol))
			}
			g.encode(t, b)
			for in := bufio.NewReader(bytes.NewReader(g.out.Bytes())); ; {
				var m flowmessage.FlowMessage
				if protodelim.UnmarshalFrom(in, &m) != nil {
					break
				}
				want = append(want, onlyShared(stockText(&m), c.protocol))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, datagram %d:\n%q instead of\n%q", c.name, i, got, want)
			}
			flows += len(want)
		}
		if flows != c.flows {
			t.Errorf("%s: %d flows", c.name, flows)
		}
	}
}

// onlyShared leaves out what goflow2 has not, zeros, and the times of IPFIX: they count from a start that an options record
// has, for which goflow2 takes the export.
func onlyShared(text string, p flow.Protocol) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(column string) bool {
		name, value, _ := strings.Cut(column, "=")
		switch name {
		case "time_received", "exporter_address", "flow_type", "sampling_rate", "sampling_known", "ip_tos", "icmp_type", "icmp_code":
			return true
		case "flow_start", "flow_end":
			return p == flow.IPFIX
		}
		return value == "0" || value == "0.0.0.0"
	}), " ")
}

func stockText(m *flowmessage.FlowMessage) string {
	address := func(b []byte) string {
		a, _ := netip.AddrFromSlice(b)
		return a.Unmap().String()
	}
	text := fmt.Sprintf("flow_start=%d flow_end=%d bytes=%d packets=%d src_addr=%s dst_addr=%s in_if=%d out_if=%d src_as=%d dst_as=%d "+
		"etype=%d proto=%d src_port=%d dst_port=%d tcp_flags=%d", m.TimeFlowStartNs/1e6, m.TimeFlowEndNs/1e6, m.Bytes, m.Packets,
		address(m.SrcAddr), address(m.DstAddr), m.InIf, m.OutIf, m.SrcAs, m.DstAs, m.Etype, m.Proto, m.SrcPort, m.DstPort, m.TcpFlags)
	return text
}
