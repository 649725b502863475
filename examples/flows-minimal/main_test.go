package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// read reads flows with Google's runtime.
func read(t *testing.T, d *decoder, from io.Reader) (flows []*dynamicpb.Message) {
	t.Helper()
	text, err := d.plan.FileDescriptorSet()
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	found, err := files.FindDescriptorByName("flows.Flow")
	if err != nil {
		t.Fatal(err)
	}
	buffered := bytes.NewReader(must(io.ReadAll(from)))
	for {
		m := dynamicpb.NewMessage(found.(protoreflect.MessageDescriptor))
		if err := protodelim.UnmarshalFrom(buffered, m); err == io.EOF {
			return flows
		} else if err != nil {
			t.Fatal(err)
		}
		flows = append(flows, m)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sum(flows []*dynamicpb.Message, column protoreflect.Name) (all uint64) {
	for _, m := range flows {
		all += m.Get(m.Descriptor().Fields().ByName(column)).Uint()
	}
	return all
}

// capture returns the datagrams of a capture of softflowd on loopback: a length of four bytes, then the datagram, and so on.
func capture(t *testing.T, name string) (datagrams [][]byte) {
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		n := binary.BigEndian.Uint32(b)
		datagrams = append(datagrams, b[4:4+n])
		b = b[4+n:]
	}
	return datagrams
}

// The sums are those of goflow2 for the same captures of softflowd.
func TestCapturesOverUDP(t *testing.T) {
	for name, want := range map[string][3]int{"softflowd_netflow5.dgrams": {712, 91136, 712}, "softflowd_netflow9.dgrams": {1129, 144512, 1129}} {
		d := must(newDecoder(schemaFile))
		socket := must(net.ListenPacket("udp", "127.0.0.1:0"))
		sender := must(net.Dial("udp", socket.LocalAddr().String()))
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(d.collect(socket.(*net.UDPConn), w))
		}()
		go func() {
			for _, datagram := range capture(t, name) {
				sender.Write(datagram)
				time.Sleep(time.Millisecond) // loopback drops what the socket has no room for
			}
			time.Sleep(300 * time.Millisecond)
			socket.Close()
		}()
		flows := read(t, d, r)
		if got := [3]int{len(flows), int(sum(flows, "bytes")), int(sum(flows, "packets"))}; got != want {
			t.Errorf("%s: flows, bytes and packets are %v, not %v", name, got, want)
		}
	}
}

var (
	now      = time.UnixMilli(1_700_000_000_123)
	exporter = netip.MustParseAddrPort("198.51.100.7:4000")
	// NetFlow v9: a header, a template (id 300: source, target, bytes, end, protocol), two records, padding.
	header = []byte{0, 9, 0, 3, 0, 0, 0x27, 0x10, 0x65, 0x53, 0xf1, 0x00, 0, 0, 0, 1, 0, 0, 0, 5}
	learns = []byte{0, 0, 0, 28, 1, 44, 0, 5, 0, 8, 0, 4, 0, 12, 0, 4, 0, 1, 0, 4, 0, 21, 0, 4, 0, 4, 0, 1}
	data   = []byte{1, 44, 0, 40, 192, 0, 2, 1, 192, 0, 2, 2, 0, 0, 5, 220, 0, 0, 0x26, 0x48, 17,
		192, 0, 2, 3, 192, 0, 2, 4, 0, 0, 0, 40, 0, 0, 0x27, 0x10, 6, 0, 0}
)

func TestATemplateOfNetFlow9(t *testing.T) {
	d := must(newDecoder(schemaFile))
	if out, err := d.append(nil, append(bytes.Clone(header), data...), exporter, now); len(out) > 0 || err != nil || d.withoutTemplate != 1 {
		t.Errorf("data before the template: %d bytes, %v, counted %d times", len(out), err, d.withoutTemplate)
	}
	out, err := d.append(nil, bytes.Join([][]byte{header, learns, data}, nil), exporter, now)
	if err != nil {
		t.Fatal(err)
	}
	flows := read(t, d, bytes.NewReader(out))
	want := []string{ // the exporter started at 1700000000 - 10 s
		`{"received":"1700000000123","exporter":"AAAAAAAAAAAAAP//xjNkBw==","srcAddr":"AAAAAAAAAAAAAP//wAACAQ==","dstAddr":"AAAAAAAAAAAAAP//wAACAg==",
		  "proto":17,"bytes":"1500","end":"1699999999800"}`,
		`{"received":"1700000000123","exporter":"AAAAAAAAAAAAAP//xjNkBw==","srcAddr":"AAAAAAAAAAAAAP//wAACAw==","dstAddr":"AAAAAAAAAAAAAP//wAACBA==",
		  "proto":6,"bytes":"40","end":"1700000000000"}`,
	}
	if len(flows) != len(want) {
		t.Fatalf("%d flows, not %d", len(flows), len(want))
	}
	for i, text := range want {
		m := dynamicpb.NewMessage(flows[i].Descriptor())
		if err := protojson.Unmarshal([]byte(text), m); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(m, flows[i]) {
			t.Errorf("flow %d is %v, not %v", i, flows[i], m)
		}
	}
}

// Whatever is cut off or false costs no more than its datagram.
func TestBadDatagrams(t *testing.T) {
	d := must(newDecoder(schemaFile))
	whole := bytes.Join([][]byte{header, learns, data}, nil)
	for n := range whole {
		d.append(nil, bytes.Clone(whole[:n]), exporter, now)
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0xff
		d.append(nil, damaged, exporter, now)
	}
	five := capture(t, "softflowd_netflow5.dgrams")[0]
	five[2], five[3] = 0xea, 0x60
	if out, err := d.append(nil, five, exporter, now); len(out) > 0 || !errors.Is(err, errMalformed) {
		t.Errorf("60,000 records of NetFlow v5: %d bytes, %v", len(out), err)
	}
	if out, err := d.append(nil, whole, exporter, now); len(out) == 0 || err != nil {
		t.Errorf("afterwards: %d bytes, %v", len(out), err)
	}
}

func TestTemplatesAreBounded(t *testing.T) {
	d := must(newDecoder(schemaFile))
	var err error
	for source := range uint32(maxTemplates + 1) {
		datagram := append(bytes.Clone(header), learns...)
		binary.BigEndian.PutUint32(datagram[16:], source)
		_, err = d.append(nil, datagram, exporter, now)
		if last := source == maxTemplates; last != errors.Is(err, errFull) {
			t.Fatalf("after %d templates: %v", source, err)
		}
	}
	if len(d.nine) != maxTemplates {
		t.Errorf("%d templates are kept", len(d.nine))
	}
}
