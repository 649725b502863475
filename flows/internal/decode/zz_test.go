package decode

import (
	"github.com/hotpb/hotpb/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
	"net/netip"
	"testing"
)

func BenchmarkNewExporters(b *testing.B) {
	for name, fields := range map[string][]template.Field{"router20": routerFields, "300": func() (f []template.Field) {
		for i := range uint16(300) {
			f = append(f, vendorless(i+1, 4))
		}
		return f
	}(), "one": {octets}} {
		b.Run(name, func(b *testing.B) {
			l := DefaultLimits()
			l.Memory, l.TemplateRate, l.Exporters = 1<<40, 1<<40, 1<<30
			for _, data := range []bool{false, true} {
				b.Run(map[bool]string{true: "data", false: "template"}[data], func(b *testing.B) {
					r := newRig(b, l, standard(b), nil, Options{})
					x := build{protocol: flow.NetFlow9}
					n := 0
					for _, f := range fields {
						n += int(f.Length)
					}
					dg := x.datagram(x.template(256, fields...))
					if data {
						dg = x.datagram(x.template(256, fields...), set(256, make([]byte, n)))
					}
					b.ReportAllocs()
					i := uint32(0)
					var out []byte
					for b.Loop() {
						i++
						out, _ = r.Append(out[:0], &flow.Datagram{Received: r.now, From: netip.AddrPortFrom(netip.AddrFrom4([4]byte(be32(0x0a000000+i))), 9), Payload: dg})
						if i%5000 == 0 {
							b.StopTimer()
							r.store.Close()
							b.StartTimer()
						}
					}
				})
			}
		})
	}
}
