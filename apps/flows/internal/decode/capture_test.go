package decode

import (
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// captures are datagrams of softflowd, of the same packets, and how many flows are in them.
var captures = []struct {
	name     string
	protocol flow.Protocol
	flows    int
	first    string
}{
	{"softflowd_netflow5.dgrams", flow.NetFlow5, 712, "flow_type=1 flow_start=1795250870832 flow_end=1795250870832 bytes=128 packets=1 " +
		"src_addr=127.0.0.1 dst_addr=127.0.0.1 etype=2048 proto=17 src_port=42812 dst_port=30000"},
	{"softflowd_netflow9.dgrams", flow.NetFlow9, 1129, "flow_type=2 sampling_rate=1 flow_start=1795250825814 flow_end=1795250825814 bytes=128 packets=1 " +
		"src_addr=127.0.0.1 dst_addr=127.0.0.1 etype=2048 proto=17 src_port=39103 dst_port=30000 sampling_known=1"},
	{"softflowd_ipfix.dgrams", flow.IPFIX, 1129, "flow_type=3 sampling_rate=1 flow_start=1795250878556 flow_end=1795250878556 bytes=128 packets=1 " +
		"src_addr=127.0.0.1 dst_addr=127.0.0.1 etype=2048 proto=17 src_port=49164 dst_port=30000 sampling_known=1"},
}

func TestCapturesAreDecodedWithoutLoss(t *testing.T) {
	for _, c := range captures {
		r := newRig(t, anyClock(), standard(t), nil, Options{})
		var flows []string
		for _, b := range capture(t, c.name) {
			flows = append(flows, r.send(b)...)
		}
		if len(flows) != c.flows || len(r.dropped()) > 0 || r.counts.Flows[c.protocol].Load() != uint64(c.flows) {
			t.Errorf("%s: %d flows, lost %v", c.name, len(flows), r.dropped())
		}
		if want := "time_received=1800000000000 exporter_address=192.0.2.1 " + c.first; flows[0] != want {
			t.Errorf("%s:\n%s instead of\n%s", c.name, flows[0], want)
		}
		for _, f := range flows {
			if !strings.Contains(f, "dst_addr=") {
				t.Errorf("%s: %s", c.name, f)
			}
		}
		e := r.store.Exporters()
		if len(e) != 1 || e[0].Lost != 0 || e[0].Restarts != 0 || e[0].Flows != uint64(c.flows) || e[0].Address != r.from.Addr() {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}
