package flow

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/schema/template"
)

// collector has the templates of one exporter, bound to the schema.
type collector struct {
	*exportSchema
	templates map[uint16]*template.Template
}

// collect encodes the data records of a datagram.
func (c *collector) collect(datagram []byte) (out []byte, records int, err error) {
	version := binary.BigEndian.Uint16(datagram)
	at, clock := 16, template.Clock{}
	if version == 9 {
		at, clock = 20, template.NetFlowClock(binary.BigEndian.Uint32(datagram[8:]), binary.BigEndian.Uint32(datagram[4:]))
	}
	for len(datagram)-at >= 4 {
		id, length := binary.BigEndian.Uint16(datagram[at:]), int(binary.BigEndian.Uint16(datagram[at+2:]))
		set := datagram[at+4 : at+length]
		at += length
		switch {
		case id == 0 || id == 2:
			if err := c.learn(set); err != nil {
				return nil, 0, err
			}
		case c.templates[id] != nil:
			var n int
			if out, n, err = c.templates[id].AppendSet(out, set, clock); err != nil {
				return nil, 0, err
			}
			records += n
		}
	}
	return out, records, nil
}

// learn binds the templates of a template set.
func (c *collector) learn(set []byte) (err error) {
	for len(set) >= 4 {
		id, count := binary.BigEndian.Uint16(set), int(binary.BigEndian.Uint16(set[2:]))
		set = set[4:]
		var fields []template.Field
		for range count {
			f := template.Field{Element: binary.BigEndian.Uint16(set), Length: binary.BigEndian.Uint16(set[2:])}
			set = set[4:]
			if f.Element&0x8000 != 0 {
				f.Element, f.Enterprise, set = f.Element&0x7fff, binary.BigEndian.Uint32(set), set[4:]
			}
			fields = append(fields, f)
		}
		if c.templates[id], err = template.Bind(c.plan, fields); err != nil {
			return err
		}
	}
	return nil
}

// Real exporters' packets, where they are: what goflow2 makes of them and what bound templates make is equal.
func TestCapturedRecordsAreWrittenAsGoflow2Does(t *testing.T) {
	for _, name := range []string{"softflowd_netflow9.dgrams", "softflowd_ipfix.dgrams"} {
		data := os.Getenv("HOTPB_DATA")
		if data == "" {
			t.Skip("HOTPB_DATA is not set")
		}
		capture, err := os.ReadFile(filepath.Join(data, "flows", name))
		if err != nil {
			t.Fatal(err)
		}
		c := &collector{newExportSchema(), map[uint16]*template.Template{}}
		systems := netflow.CreateTemplateSystem()
		config, err := (&protoproducer.ProducerConfig{}).Compile()
		if err != nil {
			t.Fatal(err)
		}
		made, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
		if err != nil {
			t.Fatal(err)
		}
		args := &producer.ProduceArgs{Src: netip.MustParseAddrPort("192.0.2.1:2055"), SamplerAddress: netip.MustParseAddr("192.0.2.1"), TimeReceived: time.Unix(1, 0)}
		all := 0
		for len(capture) > 0 {
			n := binary.BigEndian.Uint32(capture)
			datagram := capture[4 : 4+n]
			capture = capture[4+n:]

			var v9 netflow.NFv9Packet
			var ipfix netflow.IPFIXPacket
			if err := netflow.DecodeMessageVersion(bytes.NewBuffer(datagram), systems, &v9, &ipfix); err != nil {
				t.Fatal(err)
			}
			var message any = &v9
			if ipfix.Version == 10 {
				message = &ipfix
			}
			flows, err := made.Produce(message, args)
			if err != nil {
				t.Fatal(err)
			}
			var stock bytes.Buffer
			for _, f := range flows {
				if _, err := protodelim.MarshalTo(&stock, f.(proto.Message)); err != nil {
					t.Fatal(err)
				}
			}
			own, records, err := c.collect(datagram)
			if err != nil {
				t.Fatal(err)
			}
			all += records
			p := &packet{records: records}
			got, err := p.messages(exporter{encode: func() ([]byte, error) { return own, nil }})
			if err != nil {
				t.Fatal(err)
			}
			want, err := p.messages(exporter{encode: func() ([]byte, error) { return stock.Bytes(), nil }})
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if ipfix.Version == 10 { // its times count from a start that an options record has, for which goflow2 takes the export
					got[i].TimeFlowStartNs, got[i].TimeFlowEndNs, want[i].TimeFlowStartNs, want[i].TimeFlowEndNs = 0, 0, 0, 0
				}
				if !proto.Equal(got[i], want[i]) {
					t.Fatalf("%s: %v instead of %v", name, got[i], want[i])
				}
			}
		}
		if all < 100 {
			t.Errorf("%s: only %d records", name, all)
		}
	}
}
