package dynamic

import (
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/flow/flowpb"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// newGenerated is the measure for the others: the stock runtime's structs, which know their type when
// they are compiled.
func newGenerated(w *workload) (rival, error) {
	var m proto.Message
	kind := w.messages[0].ProtoReflect().Type()
	return rival{
		decode: func(b []byte) (uint64, error) {
			m = kind.New().Interface()
			if err := proto.Unmarshal(b, m); err != nil {
				return 0, err
			}
			return w.generate(m), nil
		},
		stock: func() ([]byte, error) { return proto.Marshal(m) },
		note:  "generated structs, a fresh message each time",
	}, nil
}

func sumFlow(m proto.Message) uint64 {
	f := m.(*flowpb.Flow)
	return f.TimeReceived + f.SamplingRate + textSum(f.ExporterAddress) + uint64(f.InIf) + uint64(f.OutIf) + textSum(f.SrcAddr) + textSum(f.DstAddr) +
		f.Bytes + f.Packets + uint64(f.Etype) + uint64(f.Proto) + uint64(f.SrcPort) + uint64(f.DstPort) + uint64(f.TcpFlags) + uint64(f.SrcAs) +
		uint64(f.DstAs) + uint64(f.SrcNetMask) + uint64(f.DstNetMask) + uint64(f.SrcVlan) + uint64(f.DstVlan) + f.SrcMac + f.DstMac +
		textSum(f.NextHop) + uint64(f.IpTos) + uint64(f.IpTtl) + uint64(f.Ipv6FlowLabel) + uint64(f.ForwardingStatus) + textSum(f.ExporterName) +
		textSum(f.InIfName) + textSum(f.OutIfName) + uint64(f.InIfSpeed) + textSum(f.SrcCountry) + uint64(f.InIfBoundary)
}

func sumRequest(m proto.Message) (sum uint64) {
	for _, s := range m.(*prompb.WriteRequest).Timeseries {
		for _, l := range s.Labels {
			sum += textSum(l.Name) + textSum(l.Value)
		}
		for _, v := range s.Samples {
			sum += math.Float64bits(v.Value) + uint64(v.Timestamp)
		}
	}
	return sum
}

func sumRaft(m proto.Message) uint64 { return sumMessage(m.(*raftpb.Message)) }

func sumMessage(r *raftpb.Message) uint64 {
	sum := uint64(r.GetType()) + r.GetTo() + r.GetFrom() + r.GetTerm() + r.GetLogTerm() + r.GetIndex() + r.GetCommit() + r.GetRejectHint() + textSum(r.GetContext()) +
		r.GetVote()
	if r.GetReject() {
		sum++
	}
	for _, m := range r.Responses {
		sum += sumMessage(m)
	}
	for _, e := range r.Entries {
		sum += uint64(e.GetType()) + e.GetTerm() + e.GetIndex() + textSum(e.GetData())
	}
	s := r.GetSnapshot()
	conf := s.GetMetadata().GetConfState()
	sum += textSum(s.GetData()) + s.GetMetadata().GetIndex() + s.GetMetadata().GetTerm()
	for _, list := range [][]uint64{conf.GetVoters(), conf.GetLearners(), conf.GetVotersOutgoing(), conf.GetLearnersNext()} {
		for _, v := range list {
			sum += v
		}
	}
	if conf.GetAutoLeave() {
		sum++
	}
	return sum
}
