package decode

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// manyColumns is a layout whose templates take much more than those of small.
func manyColumns(t testing.TB) *layout.Layout {
	var text strings.Builder
	text.WriteString("message: Flow\ncolumns:\n")
	for i := range 300 {
		fmt.Fprintf(&text, " - {name: c%d, number: %d, type: uint64, from: 1}\n", i, i+1)
	}
	return parse(t, text.String())
}

func TestMemoryStaysWithinItsLimitWhenALayoutTakesMore(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Memory = 1 << 20
	r := newRig(t, limits, parse(t, small), nil, Options{})
	b := build{protocol: flow.NetFlow9}
	for i := range 300 {
		r.send(b.datagram(b.template(256+i, octets)))
	}
	r.columns = nil
	if err := r.Use(manyColumns(t), nil); err != nil {
		t.Fatal(err)
	}
	bound := 0
	for i := range 300 {
		bound += len(r.send(b.datagram(set(256+i, be32(5)))))
		if r.store.Memory() > limits.Memory {
			t.Fatalf("%d bytes after %d templates were bound again", r.store.Memory(), i)
		}
	}
	if lost := r.dropped()["template_flood"]; bound == 0 || bound == 300 || lost != uint64(300-bound) {
		t.Errorf("%d templates are bound again, %d counted as lost", bound, lost)
	}
}

// A template that only comes again and again, and one that nobody uses, do not keep the layout that they were bound to.
func TestTemplatesThatAreNotUsedDoNotKeepALayout(t *testing.T) {
	for _, used := range []bool{true, false} {
		r := newRig(t, anyClock(), parse(t, small), nil, Options{})
		b := build{protocol: flow.NetFlow9}
		gone := make(chan bool)
		r.send(b.datagram(b.template(256, octets), set(256, be32(5))))
		runtime.AddCleanup(r.layout, func(gone chan bool) { close(gone) }, gone)
		if err := r.Use(manyColumns(t), nil); err != nil {
			t.Fatal(err)
		}
		if used {
			r.Append(nil, &flow.Datagram{Received: r.now, From: r.from, Payload: b.datagram(b.template(256, octets))})
		} else {
			r.store.Expire(r.now.Add(r.store.Limits().Lifetime / 8))
		}
		if r.store.Templates() != 1 {
			t.Fatal("the template is gone")
		}
		runtime.GC()
		select {
		case <-gone:
		case <-time.After(5 * time.Second):
			t.Error("the old layout is still there")
		}
	}
}
