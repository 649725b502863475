package sflow

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	gosflow "github.com/netsampler/goflow2/v2/decoders/sflow"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

func TestWhatIsWrongIsCountedAndTheRestIsRead(t *testing.T) {
	ip := block(sampledIPv4, words(60, 17, 1, 2, 3, 4, 0, 0))
	good := block(flowSample, flowHead(1), ip)
	cut := func(dg *flow.Datagram, n int) *flow.Datagram {
		dg.Payload = dg.Payload[:len(dg.Payload)-n]
		return dg
	}
	changed := func(dg *flow.Datagram, word int, v uint32) *flow.Datagram {
		binary.BigEndian.PutUint32(dg.Payload[4*word:], v)
		return dg
	}
	for name, c := range map[string]struct {
		dg        *flow.Datagram
		flows     int
		truncated uint64
		malformed uint64
		passed    uint64
	}{
		"good":                   {datagram(good, good), 2, 0, 0, 0},
		"no samples":             {datagram(), 0, 0, 0, 0},
		"of four bytes":          {cut(datagram(), 24), 0, 1, 0, 0},
		"head cut":               {cut(datagram(), 4), 0, 1, 0, 0},
		"another version":        {changed(datagram(good), 0, 4), 0, 0, 1, 0},
		"address of no type":     {changed(datagram(good), 1, 3), 0, 0, 1, 0},
		"fewer samples":          {changed(datagram(good), 6, 1<<31), 1, 1, 0, 0},
		"more samples":           {changed(datagram(good, good), 6, 1), 1, 0, 1, 0},
		"sample cut":             {cut(datagram(good, good), 4), 1, 1, 0, 0},
		"length of a sample":     {changed(datagram(good), 8, 1<<32-1), 0, 1, 0, 0},
		"sample too short":       {datagram(block(flowSample, words(1, 2)), good), 1, 0, 1, 0},
		"expanded too short":     {datagram(block(expandedFlowSample, flowHead(0)), good), 1, 0, 1, 0},
		"counters":               {datagram(block(2, words(1, 2, 0)), block(4, words(1, 2, 3, 0)), good), 1, 0, 0, 2},
		"sample of a vendor":     {datagram(block(8800<<12|1, flowHead(0)), good), 1, 0, 0, 1},
		"discarded packets":      {datagram(block(discardedPacket, words(1, 0, 1, 0, 1, 2, 3, 0)), good), 2, 0, 0, 0},
		"discard too short":      {datagram(block(discardedPacket, words(1, 0, 1, 0, 1, 2, 3)), good), 1, 0, 1, 0},
		"transaction":            {datagram(block(flowSample, flowHead(1), block(2202, words(0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), good), 1, 0, 0, 1},
		"NAT cut":                {sample(block(extendedNAT, words(1, 1, 2, 1, 2, 3))), 1, 0, 1, 0},
		"NAT's ports cut":        {sample(block(natPort, words(1))), 1, 0, 1, 0},
		"tags cut":               {sample(block(vlanTunnel, words(3, 1, 2))), 1, 0, 1, 0},
		"VNI cut":                {sample(block(vniEgress, nil)), 1, 0, 1, 0},
		"ethernet of 20 bytes":   {sample(block(sampledEthernet, words(60, 1, 2, 3, 0x800))), 1, 0, 1, 0},
		"fewer records":          {datagram(block(flowSample, flowHead(1<<31)), good), 2, 0, 1, 0},
		"length of a record":     {datagram(block(flowSample, flowHead(1), words(3, 1<<32-1)), good), 2, 0, 1, 0},
		"record too short":       {sample(block(sampledIPv6, words(1, 2)), ip), 1, 0, 1, 0},
		"length of a header":     {sample(block(sampledHeader, words(1, 100, 0, 1<<32-1), make([]byte, 64))), 1, 0, 1, 0},
		"no room for a header":   {sample(block(sampledHeader, words(1, 100))), 1, 0, 1, 0},
		"ethernet too short":     {sample(block(sampledEthernet, words(1, 100))), 1, 0, 1, 0},
		"ipv4 too short":         {sample(block(sampledIPv4, words(1, 100))), 1, 0, 1, 0},
		"switch too short":       {sample(block(extendedSwitch, words(1, 100))), 1, 0, 1, 0},
		"next hop of no type":    {sample(block(extendedRouter, words(3, 1, 2, 3))), 1, 0, 1, 0},
		"next hop cut":           {sample(block(extendedRouter, words(2, 1, 2, 3))), 1, 0, 1, 0},
		"router without masks":   {sample(block(extendedRouter, words(1, 1, 2))), 1, 0, 1, 0},
		"gateway cut":            {sample(block(extendedGateway, words(1, 1, 2))), 1, 0, 1, 0},
		"path longer than bytes": {sample(block(extendedGateway, words(1, 1, 100, 200, 300, 1, 2, 1<<30, 7))), 1, 0, 1, 0},
		"communities of none":    {sample(block(extendedGateway, words(1, 1, 100, 200, 300, 0, 1<<30, 7))), 1, 0, 1, 0},
		"MPLS without next hop":  {sample(block(extendedMPLS, words(3, 1))), 1, 0, 1, 0},
		"MPLS without stacks":    {sample(block(extendedMPLS, words(1, 1))), 1, 0, 1, 0},
		"MPLS with one stack":    {sample(block(extendedMPLS, words(1, 1, 1, 2))), 1, 0, 1, 0},
		"stack longer than that": {sample(block(extendedMPLS, words(1, 1, 1<<30, 2))), 1, 0, 1, 0},
		"and the other one":      {sample(block(extendedMPLS, words(1, 1, 0, 1<<31))), 1, 0, 1, 0},
		"segments without bytes": {sample(block(extendedGateway, words(1, 1, 100, 200, 300, 1<<32-1, 2, 1, 7))), 1, 0, 1, 0},
	} {
		var counts count.Counters
		d := decoder(t, New, "../../flows.yaml", nil, &counts)
		out, n := d.Append(nil, c.dg)
		if n != c.flows || n != split(t, out) || counts.Dropped(count.Truncated) != c.truncated ||
			counts.Dropped(count.Malformed) != c.malformed || counts.Passed.Load() != c.passed {
			t.Errorf("%s: %d flows, %d truncated, %d malformed, %d passed", name, n, counts.Dropped(count.Truncated),
				counts.Dropped(count.Malformed), counts.Passed.Load())
		}
	}
}

// split counts the messages of a stream.
func split(t testing.TB, stream []byte) (n int) {
	t.Helper()
	for len(stream) > 0 {
		size, k := binary.Uvarint(stream)
		if k <= 0 || size > uint64(len(stream)-k) {
			t.Fatal("no stream of messages")
		}
		stream = stream[k+int(size):]
		n++
	}
	return n
}

// goflow2 makes room for as many records as a sample of the expanded kind says there are.
func TestGoflow2IsNotAskedForImpossibleRoom(t *testing.T) {
	head := words(1, 0, 2, 1000, 3000, 0, 0, 7, 0, 9, 1<<26)
	dg := datagram(block(expandedFlowSample, head))
	var counts count.Counters
	d := decoder(t, NewGoflow2, "../../flows.yaml", nil, &counts)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, n := d.Append(nil, dg)
	runtime.ReadMemStats(&after)
	if n != 0 || counts.Dropped(count.Malformed) != 1 || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d flows, %d malformed, %d bytes", n, counts.Dropped(count.Malformed), after.TotalAlloc-before.TotalAlloc)
	}
}

// FuzzSFlow compares our walk with goflow2's decoder where that takes a datagram, and looks at what the encoder makes
// of it.
func FuzzSFlow(f *testing.F) {
	for _, ds := range inputs(f) {
		for i := range min(20, len(ds)) {
			f.Add(ds[i].Payload)
		}
	}
	for seed := range uint64(20) {
		f.Add(random(seed).Payload)
	}
	f.Add(sample(pathAndCommunities, block(extendedMPLS, words(1, 1, 2, 0x11040, 0x20140, 1, 0x30140))).Payload)
	path := goflow2Layout(f)
	var counts [3]count.Counters
	walk, stock := decoder(f, New, path, nil, &counts[0]), decoder(f, NewGoflow2, path, nil, &counts[1])
	row := decoder(f, New, path, idle{}, &counts[2])
	f.Fuzz(func(t *testing.T, b []byte) {
		dg := &flow.Datagram{Payload: slices.Clip(bytes.Clone(b))}
		before := total(&counts[0])
		out, n := walk.Append(nil, dg)
		if got := len(messages(t, out)); got != n {
			t.Fatalf("%d messages of %d flows", got, n)
		}
		rows, m := row.Append(nil, dg)
		if m != n || !same(messages(t, rows), messages(t, out)) {
			t.Fatal("a record makes another message")
		}
		o, ok := walk.open(b)
		if !ok {
			if n != 0 || total(&counts[0]) == before {
				t.Fatal("not counted")
			}
			return
		}
		var p gosflow.Packet
		if !plausible(&o) || gosflow.DecodeMessageVersion(bytes.NewBuffer(b), &p) != nil || onlyOurs(&p) {
			return
		}
		want, k := stock.Append(nil, dg)
		if k != n || !bytes.Equal(want, out) {
			t.Fatalf("%d flows\n%x\nof goflow2 %d\n%x", n, out, k, want)
		}
	})
}

func total(c *count.Counters) (n uint64) {
	return c.Dropped(count.Truncated) + c.Dropped(count.Malformed)
}

// onlyOurs reports whether goflow2 reads something in another way: paths of more than one segment, stacks of labels,
// Ethernet's addresses without their padding, discarded packets, NAT, VNIs and transactions.
func onlyOurs(p *gosflow.Packet) bool {
	for _, s := range p.Samples {
		var records []gosflow.FlowRecord
		switch s := s.(type) {
		case gosflow.FlowSample:
			records = s.Records
		case gosflow.ExpandedFlowSample:
			records = s.Records
		case gosflow.DropSample:
			return true
		}
		for _, r := range records {
			g, ok := r.Data.(gosflow.ExtendedGateway)
			switch kind := r.Header.DataFormat; {
			case ok && g.ASDestinations > 1, kind == sampledEthernet, kind == extendedMPLS, kind == extendedNAT, kind == natPort,
				kind == vlanTunnel, kind == vniEgress, kind == vniIngress, isTransaction(kind):
				return true
			}
		}
	}
	return false
}
