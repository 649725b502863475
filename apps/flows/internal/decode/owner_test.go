package decode

import (
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Several decoders share a store, and each exporter sends to one of them. What waits of an exporter comes out of its own
// decoder, before what that decoder decodes later: another decoder could only add it to another stream.
func TestWhatWaitsComesFromTheExportersOwnDecoder(t *testing.T) {
	limits := session.DefaultLimits()
	limits.RateWait = 10 * time.Second
	b := build{protocol: flow.IPFIX}
	fresh := func() (mine *rig, foreign *Decoder) {
		mine = newRig(t, limits, parse(t, rated), nil, Options{})
		foreign, err := New(mine.store, mine.layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		mine.expectFlows("held", mine.send(b.datagram(b.template(256, octets), set(256, be32(7)))))
		return mine, foreign
	}
	late := time.Unix(1_800_000_020, 0)

	mine, foreign := fresh()
	if _, n := foreign.Due(nil, late); n != 0 {
		t.Errorf("%d flows of another decoder's exporter", n)
	}
	if _, n := mine.Due(nil, late); n != 1 {
		t.Errorf("%d flows", n)
	}

	mine, foreign = fresh()
	_, theirs := foreign.End(nil)
	if _, n := mine.End(nil); n != 1 || theirs != 0 {
		t.Errorf("in the end %d flows, and %d from the other decoder", n, theirs)
	}

	// A state from another collector has the rate.
	rates, _ := fresh()
	rates.send(b.datagram(b.options(300, 1, process, vendorless(305, 4), vendorless(306, 4)), set(300, be32(1, 1, 99))))
	state := rates.store.State()
	mine, foreign = fresh()
	mine.store.Offer(state)
	if _, n := foreign.Due(nil, mine.now); n != 0 {
		t.Errorf("%d flows of another decoder's exporter", n)
	}
	out, n := mine.Due(nil, mine.now)
	if n != 1 {
		t.Fatalf("%d flows when the rate is known", n)
	}
	mine.columns = mine.layout.Plan.Columns(mine.layout.Plan.Root())
	mine.expectFlows("rated", texts(t, mine.columns, out), "rate=100 known=1 bytes=7 bytes_scaled=700")
	if _, n := mine.Due(nil, mine.now); n != 0 {
		t.Error("the same state twice")
	}
	if n := mine.store.Waiting(); n != 0 {
		t.Errorf("%d bytes still wait", n)
	}
}
