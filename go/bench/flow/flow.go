// Package flow holds the tasks of run-time schemas: flow-encode and flow-batch, which write flows from Go
// structs, one file for each kind of contender.
package flow

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/flow/flowpb"
	"github.com/hotpb/hotpb/go/bench/harness"
)

// Flow14 is a flow as a collector has it in memory: fourteen fields, of the message SmallFlow.
type Flow14 struct {
	TimeReceived    uint64
	SamplingRate    uint64
	ExporterAddress netip.Addr
	InIf, OutIf     uint32
	SrcAddr         netip.Addr
	DstAddr         netip.Addr
	Bytes, Packets  uint64
	Etype           uint32
	Proto           uint8
	SrcPort         uint16
	DstPort         uint16
	TCPFlags        uint8 `hotpb:"tcp_flags"`
}

// Flow33 is the same and nineteen more fields, of the message Flow.
type Flow33 struct {
	Flow14
	SrcAS, DstAS           uint32
	SrcNetMask, DstNetMask uint8
	SrcVlan, DstVlan       uint16
	SrcMAC, DstMAC         uint64
	NextHop                netip.Addr
	IPTos, IPTTL           uint8
	IPv6FlowLabel          uint32
	ForwardingStatus       uint8
	ExporterName, InIfName string
	OutIfName              string
	InIfSpeed              uint32
	SrcCountry             string
	InIfBoundary           int32
}

// count is how many different flows are encoded in turn, so that no branch predictor learns them.
const count = 1000

// flows are the same in every process.
var flows = func() []Flow33 {
	r := rand.New(rand.NewPCG(14, 33))
	addr := func() netip.Addr {
		if r.IntN(3) > 0 {
			return netip.AddrFrom4([4]byte{byte(1 + r.IntN(220)), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())})
		}
		a := [16]byte{0x20, 1, 0xd, 0xb8}
		for i := 4; i < 16; i++ {
			a[i] = byte(r.Uint32())
		}
		return netip.AddrFrom16(a)
	}
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	all := make([]Flow33, count)
	for i := range all {
		packets := uint64(1 + r.IntN(1<<r.IntN(12)))
		all[i] = Flow33{
			Flow14: Flow14{
				TimeReceived: 1700000000 + uint64(i), SamplingRate: 1000, ExporterAddress: netip.AddrFrom4([4]byte{192, 0, 2, byte(r.IntN(9))}),
				InIf: uint32(1 + r.IntN(300)), OutIf: uint32(1 + r.IntN(300)), SrcAddr: addr(), DstAddr: addr(),
				Bytes: packets * uint64(40+r.IntN(1460)), Packets: packets, Etype: 0x800, Proto: []uint8{6, 6, 17}[r.IntN(3)],
				SrcPort: uint16(1024 + r.IntN(64000)), DstPort: []uint16{80, 443, 443, 53}[r.IntN(4)], TCPFlags: uint8(1 + r.IntN(31)),
			},
			SrcAS: uint32(1 + r.IntN(1<<(4+r.IntN(17)))), DstAS: uint32(1 + r.IntN(1<<(4+r.IntN(17)))),
			SrcNetMask: uint8(8 + r.IntN(40)), DstNetMask: uint8(8 + r.IntN(40)), SrcVlan: uint16(1 + r.IntN(4000)), DstVlan: uint16(1 + r.IntN(4000)),
			SrcMAC: r.Uint64() >> 16, DstMAC: r.Uint64() >> 16, NextHop: addr(), IPTos: uint8(1 + r.IntN(255)), IPTTL: uint8(30 + r.IntN(200)),
			IPv6FlowLabel: uint32(1 + r.IntN(1<<20)), ForwardingStatus: 64, ExporterName: pick("edge1.example.net", "edge2.example.net", "core.example.net"),
			InIfName: pick("Gi0/0/1", "Te0/0/0/12", "ae0"), OutIfName: pick("Gi0/0/2", "xe-0/0/1", "ae12.200"),
			InIfSpeed: uint32([]int{1000, 10000, 100000}[r.IntN(3)]), SrcCountry: pick("FR", "DE", "US"), InIfBoundary: int32(1 + r.IntN(2)),
		}
	}
	return all
}()

// bytesOf is an address as it stands in a message.
func bytesOf(a netip.Addr) []byte {
	b := a.As16()
	return b[:]
}

// small and large are flows as the stock runtime has them.
func small(f *Flow14) *flowpb.SmallFlow {
	return &flowpb.SmallFlow{
		TimeReceived: f.TimeReceived, SamplingRate: f.SamplingRate, ExporterAddress: bytesOf(f.ExporterAddress), InIf: f.InIf, OutIf: f.OutIf,
		SrcAddr: bytesOf(f.SrcAddr), DstAddr: bytesOf(f.DstAddr), Bytes: f.Bytes, Packets: f.Packets, Etype: f.Etype,
		Proto: uint32(f.Proto), SrcPort: uint32(f.SrcPort), DstPort: uint32(f.DstPort), TcpFlags: uint32(f.TCPFlags),
	}
}

func large(f *Flow33) *flowpb.Flow {
	return &flowpb.Flow{
		TimeReceived: f.TimeReceived, SamplingRate: f.SamplingRate, ExporterAddress: bytesOf(f.ExporterAddress), InIf: f.InIf, OutIf: f.OutIf,
		SrcAddr: bytesOf(f.SrcAddr), DstAddr: bytesOf(f.DstAddr), Bytes: f.Bytes, Packets: f.Packets, Etype: f.Etype,
		Proto: uint32(f.Proto), SrcPort: uint32(f.SrcPort), DstPort: uint32(f.DstPort), TcpFlags: uint32(f.TCPFlags),
		SrcAs: f.SrcAS, DstAs: f.DstAS, SrcNetMask: uint32(f.SrcNetMask), DstNetMask: uint32(f.DstNetMask), SrcVlan: uint32(f.SrcVlan),
		DstVlan: uint32(f.DstVlan), SrcMac: f.SrcMAC, DstMac: f.DstMAC, NextHop: bytesOf(f.NextHop), IpTos: uint32(f.IPTos),
		IpTtl: uint32(f.IPTTL), Ipv6FlowLabel: f.IPv6FlowLabel, ForwardingStatus: uint32(f.ForwardingStatus), ExporterName: f.ExporterName,
		InIfName: f.InIfName, OutIfName: f.OutIfName, InIfSpeed: f.InIfSpeed, SrcCountry: f.SrcCountry,
		InIfBoundary: flowpb.Boundary(f.InIfBoundary),
	}
}

// stockFlows are the flows of a case as the stock runtime's messages.
func stockFlows(fields int) []message {
	all := make([]message, count)
	for i := range flows {
		if fields == 14 {
			all[i] = small(&flows[i].Flow14)
		} else {
			all[i] = large(&flows[i])
		}
	}
	return all
}

// A rival encodes the i-th flow into bytes that are valid until the next one.
type rival struct {
	encode func(i int) ([]byte, error)
	note   string
}

// A batcher encodes all flows into bytes that it hands over. It yields them one by one, and returns the number of bytes.
type batcher struct {
	encode func() (messages [][]byte, size int, err error)
	note   string
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for _, fields := range []int{14, 33} {
		single, batch := map[string]harness.Factory{}, map[string]harness.Factory{}
		for name, make := range rivals {
			single[name] = func([]byte) (harness.Contender, error) { return make(fields).contender(fields) }
		}
		for name, make := range batchers {
			batch[name] = func([]byte) (harness.Contender, error) { return make(fields).contender(fields) }
		}
		tasks[fmt.Sprintf("flow-encode/%d", fields)] = single
		tasks[fmt.Sprintf("flow-batch/%d", fields)] = batch
	}
	templateTasks(tasks)
	return tasks
}

func (r rival) contender(fields int) (harness.Contender, error) {
	next, size := 0, 0
	for _, m := range stockFlows(fields) {
		size += proto.Size(m)
	}
	return harness.Contender{
		Op: func() (uint64, error) {
			b, err := r.encode(next)
			if next++; next == count {
				next = 0
			}
			return uint64(len(b)), err
		},
		Verify: func() error {
			for i, want := range stockFlows(fields) {
				b, err := r.encode(i)
				if err != nil {
					return err
				}
				if err := same(b, want); err != nil {
					return fmt.Errorf("flow %d: %w", i, err)
				}
			}
			return nil
		},
		Note: r.note, Size: size / count,
	}, nil
}

func (r batcher) contender(fields int) (harness.Contender, error) {
	_, size, err := r.encode()
	return harness.Contender{
		Op: func() (uint64, error) {
			_, size, err := r.encode()
			return uint64(size), err
		},
		Verify: func() error {
			all, _, err := r.encode()
			if err != nil || len(all) != count {
				return fmt.Errorf("%d messages: %w", len(all), err)
			}
			for i, want := range stockFlows(fields) {
				if err := same(all[i], want); err != nil {
					return fmt.Errorf("flow %d: %w", i, err)
				}
			}
			return nil
		},
		Note: r.note, Size: size,
	}, err
}

// same reports the differences between two decoded messages.
func same(b []byte, want proto.Message) error {
	got := want.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(b, got); err != nil {
		return err
	}
	if !proto.Equal(got, want) {
		return fmt.Errorf("%v instead of %v", got, want)
	}
	return nil
}

// Messages are the flows of 33 fields as the stock runtime has them.
func Messages() []proto.Message {
	var all []proto.Message
	for _, m := range stockFlows(33) {
		all = append(all, m)
	}
	return all
}
