package decode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Data say why their template is not there: it never came, has expired, or was withdrawn. When it comes again, that is
// forgotten, and so is the memory for it.
func TestDataWithoutATemplateSayWhy(t *testing.T) {
	r := newRig(t, anyClock(), parse(t, small), nil, Options{})
	details := map[uint16]string{}
	r.store.Report(func(l session.Loss) {
		if l.Reason == count.WaitingExpired {
			details[l.Set] = l.Detail
			if !l.Time.Equal(r.now) {
				t.Errorf("%v", l.Time)
			}
		}
	})
	b := build{protocol: flow.IPFIX, domain: 7}
	lost := func(id int) string {
		t.Helper()
		r.send(b.datagram(set(id, be32(1))))
		now := r.now
		defer func() { r.now = now.Add(r.store.Limits().WaitingTime + 2*time.Second) }()
		r.store.Expire(now.Add(r.store.Limits().WaitingTime + time.Second))
		return details[uint16(id)]
	}
	r.send(b.datagram(b.template(256, octets), b.template(257, octets)))
	sent := r.now
	r.now = r.now.Add(time.Hour)
	r.send(b.datagram(set(2, be16(257, 0))))
	withdrawn := r.now
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }
	if got, want := lost(257), "the exporter withdrew template 257 at "+stamp(withdrawn); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := lost(300), "template 300 has not come from this exporter; no port of this address has sent this template"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	r.now = r.now.Add(15 * 24 * time.Hour)
	if got, want := lost(256), "template 256 was last sent or used at "+stamp(sent)+", and expired 24h0m0s later (--template-time)"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// A template that cannot be read says why.
func TestATemplateThatCannotBeReadSaysWhy(t *testing.T) {
	for _, c := range []struct {
		protocol flow.Protocol
		set      []byte
		want     string
	}{
		{flow.NetFlow9, set(0, be16(256, 0, 0, 1)), "template 256 has no fields"},
		{flow.NetFlow9, set(0, be16(255, 1, 1, 4)), "template 255: numbers below 256 are no templates"},
		{flow.NetFlow9, set(0, be16(256, 3, 1, 4)), "template 256: the set has 4 bytes for 3 fields"},
		{flow.NetFlow9, set(1, be16(256, 4, 6, 1, 4, 34, 4)), "options template 256: scopes of 4 bytes and options of 6 bytes are not multiples of 4"},
		{flow.NetFlow9, set(1, be16(256, 3, 4, 1, 4, 34, 4)), "options template 256: scopes of 3 bytes and options of 4 bytes are not multiples of 4"},
		{flow.NetFlow9, set(0, be16(256, 2, 1, 0, 2, 0)), "template 256: a record of 0 bytes"},
		{flow.IPFIX, set(3, be16(256, 1, 2, 1, 4)), "options template 256: 2 scopes are more than its 1 fields"},
		{flow.IPFIX, set(3, be16(256, 1)), "options template 256 ends within its header"},
		{flow.IPFIX, set(2, be16(256, 2, 1, 4, 0x8001, 4)), "template 256: the set has 8 bytes for 2 fields"},
	} {
		r := newRig(t, anyClock(), parse(t, small), nil, Options{})
		got := ""
		r.store.Report(func(l session.Loss) { got += fmt.Sprint(l.Reason, ": ", l.Detail) })
		r.send((&build{protocol: c.protocol}).datagram(c.set))
		if want := "template_malformed: " + c.want; !strings.HasPrefix(got, want) {
			t.Errorf("%x: %s, not %s", c.set, got, want)
		}
	}
}
