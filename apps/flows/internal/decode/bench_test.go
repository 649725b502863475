package decode

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"
)

// benchmarks are datagrams of an exporter: the last one is decoded again and again, after those before it once.
func benchmarks(tb testing.TB) map[string][][]byte {
	all := map[string][][]byte{
		"netflow5-29":  capture(tb, "softflowd_netflow5.dgrams")[:1],
		"netflow9-26":  capture(tb, "softflowd_netflow9.dgrams")[:2],
		"ipfix-26":     capture(tb, "softflowd_ipfix.dgrams")[:2],
		"netflow9-4":   router(flow.NetFlow9, 4),
		"ipfix-24":     router(flow.IPFIX, 24),
		"ipfix-24-out": router(flow.IPFIX, 24, 23, 24),
	}
	data := os.Getenv("HOTPB_DATA")
	if data == "" {
		tb.Log("without the article's datagrams: HOTPB_DATA is not set")
		return all
	}
	var datagrams [][]byte
	for _, name := range []string{"options-template-257", "options-data-257", "template-260", "data-260"} {
		b, err := os.ReadFile(filepath.Join(data, "flows/akvorado", name+".pcap"))
		if err != nil {
			tb.Fatal(err)
		}
		datagrams = append(datagrams, b[24+16+14+20+8:]) // headers of the file, the packet, Ethernet, IP, UDP
	}
	all["netflow9-article"] = datagrams
	return all
}

// routerFields are those of a usual router's template.
var routerFields = []template.Field{
	{Element: 22, Length: 4}, {Element: 21, Length: 4}, {Element: 1, Length: 4}, {Element: 2, Length: 4},
	{Element: 10, Length: 4}, {Element: 14, Length: 4}, {Element: 8, Length: 4}, {Element: 12, Length: 4},
	{Element: 4, Length: 1}, {Element: 5, Length: 1}, {Element: 7, Length: 2}, {Element: 11, Length: 2},
	{Element: 51, Length: 1}, {Element: 15, Length: 4}, {Element: 13, Length: 1}, {Element: 9, Length: 1},
	{Element: 6, Length: 1}, {Element: 61, Length: 1}, {Element: 17, Length: 4}, {Element: 16, Length: 4},
}

// router is a template with the fields of a router's, and a datagram with records of it. With elements of their own for
// packets that leave, half of the records have only these.
func router(p flow.Protocol, records int, out ...uint16) [][]byte {
	random := rand.New(rand.NewPCG(1, uint64(p)))
	fields := slices.Clone(routerFields)
	if p == flow.IPFIX {
		fields[0], fields[1] = template.Field{Element: 152, Length: 8}, template.Field{Element: 153, Length: 8}
		fields[6], fields[7] = template.Field{Element: 27, Length: 16}, template.Field{Element: 28, Length: 16}
	}
	for _, element := range out {
		fields = append(fields, vendorless(element, 4))
	}
	var data []byte
	for record := range records {
		for _, f := range fields {
			v := random.Uint64() >> (64 - min(8*f.Length, 20))
			switch f.Element {
			case 21, 22:
				v = 500000 - random.Uint64N(60000)
			case 152, 153:
				v = 1800000000000 - random.Uint64N(60000)
			case 1, 2:
				if len(out) > 0 && record%2 == 0 {
					v = 0
				}
			}
			data = append(data, wide(v, int(f.Length))...)
		}
	}
	b := build{protocol: p, uptime: 500000}
	return [][]byte{b.datagram(b.template(256, fields...)), b.datagram(set(256, data))}
}

func BenchmarkDatagram(b *testing.B) {
	for name, datagrams := range benchmarks(b) {
		for _, way := range []struct {
			name     string
			enricher flow.Enricher
			options  Options
		}{{"direct", nil, Options{}}, {"record", nothing{}, Options{}}, {"goflow2+handles", nil, Options{Goflow2: true}}} {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				r := newRig(b, anyClock(), standard(b), way.enricher, way.options)
				for _, datagram := range datagrams {
					if len(r.send(datagram)) == 0 && len(datagrams) == 1 {
						b.Fatal("no flows")
					}
				}
				dg := &flow.Datagram{Received: r.now, From: r.from, Payload: datagrams[len(datagrams)-1]}
				out, flows := r.Append(nil, dg)
				b.ReportAllocs()
				for b.Loop() {
					out, _ = r.Append(out[:0], dg)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*flows), "ns/flow")
			})
		}
		b.Run(name+"/goflow2", func(b *testing.B) {
			g := newGoflow2(b)
			for _, datagram := range datagrams {
				g.encode(b, datagram)
			}
			flows := g.encode(b, datagrams[len(datagrams)-1])
			b.ReportAllocs()
			for b.Loop() {
				g.encode(b, datagrams[len(datagrams)-1])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*flows), "ns/flow")
		})
	}
}

// nothing is an enricher that only makes the decoder make records.
type nothing struct{}

func (nothing) Enrich(*schema.Record, netip.Addr) {}

// goflow2 is the rival as its users have it: decoder, producer, protodelim.
type goflow2 struct {
	producer.ProducerInterface
	templates netflow.NetFlowTemplateSystem
	args      producer.ProduceArgs
	out       bytes.Buffer
}

func newGoflow2(tb testing.TB) *goflow2 {
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		tb.Fatal(err)
	}
	made, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	if err != nil {
		tb.Fatal(err)
	}
	return &goflow2{
		ProducerInterface: made, templates: netflow.CreateTemplateSystem(),
		args: producer.ProduceArgs{
			Src: netip.MustParseAddrPort("192.0.2.1:2055"), SamplerAddress: netip.MustParseAddr("192.0.2.1"), TimeReceived: time.Unix(1_800_000_000, 0),
		},
	}
}

// encode decodes a datagram and encodes its flows into g.out.
func (g *goflow2) encode(tb testing.TB, datagram []byte) (flows int) {
	var v5 netflowlegacy.PacketNetFlowV5
	var v9 netflow.NFv9Packet
	var ipfix netflow.IPFIXPacket
	var message any
	var err error
	switch binary.BigEndian.Uint16(datagram) {
	case 5:
		message, err = &v5, netflowlegacy.DecodeMessageVersion(bytes.NewBuffer(datagram), &v5)
	case 9:
		message, err = &v9, netflow.DecodeMessageVersion(bytes.NewBuffer(datagram), g.templates, &v9, &ipfix)
	default:
		message, err = &ipfix, netflow.DecodeMessageVersion(bytes.NewBuffer(datagram), g.templates, &v9, &ipfix)
	}
	if err != nil {
		tb.Fatal(err)
	}
	list, err := g.Produce(message, &g.args)
	if err != nil {
		tb.Fatal(err)
	}
	g.out.Reset()
	for _, f := range list {
		if _, err := protodelim.MarshalTo(&g.out, f.(proto.Message)); err != nil {
			tb.Fatal(err)
		}
	}
	g.Commit(list)
	return len(list)
}
