package sflow

import (
	"bytes"
	"encoding/binary"

	"github.com/netsampler/goflow2/v2/decoders/sflow"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// mostRecords is how many records a sample may have for goflow2. For samples of the expanded kind goflow2
// allocates as many as they claim to have, so those are checked first.
const mostRecords = 1000

// stockDecoder is a Decoder with goflow2's decoder before our encoding. That decoder accepts a datagram as a whole or, if
// it has any fault, not at all. It reads only one segment of BGP paths.
type stockDecoder struct{ *Decoder }

// NewGoflow2 is New for it.
func NewGoflow2(l *layout.Layout, e flow.Enricher, c *count.Counters) (stockDecoder, error) {
	d, err := New(l, e, c)
	return stockDecoder{d}, err
}

func (d stockDecoder) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	if !d.begin(dg) {
		return dst, 0
	}
	out, flows = d.samples(dst, dg.Payload, &d.opening)
	d.count(&d.misfits, d.row.AllMisfits())
	return out, flows
}

// samples encodes the samples of a datagram as goflow2 has decoded them.
func (d stockDecoder) samples(dst, payload []byte, o *Opening) (out []byte, flows int) {
	var p sflow.Packet
	if !plausible(o) || sflow.DecodeMessageVersion(bytes.NewBuffer(payload), &p) != nil {
		d.counts.Drop(count.Malformed, 1)
		return dst, 0
	}
	for _, sample := range p.Samples {
		r := &d.record
		var records []sflow.FlowRecord
		switch s := sample.(type) {
		case sflow.FlowSample:
			r.reset()
			r.put(atRate, s.SamplingRate)
			r.input(s.Input>>compactBits, s.Input&compactMask)
			r.output(s.Output>>compactBits, s.Output&compactMask)
			records = s.Records
		case sflow.ExpandedFlowSample:
			r.reset()
			r.put(atRate, s.SamplingRate)
			r.input(s.InputIfFormat, s.InputIfValue)
			r.output(s.OutputIfFormat, s.OutputIfValue)
			records = s.Records
		case nil:
			d.counts.Drop(count.Truncated, 1)
			return dst, flows
		default:
			d.counts.Passed.Add(0)
			continue
		}
		for i := range records {
			r.stock(records[i].Data)
		}
		dst = d.emit(dst)
		flows++
	}
	return dst, flows
}

// plausible reports whether goflow2 may decode the datagram.
func plausible(o *Opening) bool {
	b := o.rest
	for range o.samples {
		if len(b) < 8 || uint64(word(b, 1)) > uint64(len(b)-8) {
			break
		}
		kind, sample := word(b, 0), b[8:8+word(b, 1)]
		b = b[8+len(sample):]
		if kind == expandedFlowSample && len(sample) >= 44 && word(sample, 10) > mostRecords {
			return false
		}
	}
	return true
}

// stock processes one of goflow2's records.
func (r *record) stock(data any) {
	switch v := data.(type) {
	case sflow.SampledHeader:
		r.sampledHeader(v.Protocol, v.FrameLength, v.Stripped, v.HeaderData[:min(uint64(len(v.HeaderData)), uint64(v.OriginalLength))])
	case sflow.SampledEthernet:
		r.sampledEthernet(v.Length, v.SrcMac, v.DstMac, v.EthType)
	case sflow.SampledIPv4:
		if r.sampledIP(four, v.Length, v.Protocol, v.SrcIP, v.DstIP) {
			r.sampledPorts(v.Protocol, v.SrcPort, v.DstPort, v.TcpFlags, v.Tos)
		}
	case sflow.SampledIPv6:
		if r.sampledIP(six, v.Length, v.Protocol, v.SrcIP, v.DstIP) {
			r.sampledPorts(v.Protocol, v.SrcPort, v.DstPort, v.TcpFlags, v.Priority)
		}
	case sflow.ExtendedSwitch:
		r.extendedSwitch(v.SrcVlan, v.DstVlan)
	case sflow.ExtendedRouter:
		r.extendedRouter(v.NextHop, v.SrcMaskLen, v.DstMaskLen)
	case sflow.ExtendedGateway:
		var first, last uint32
		if n := len(v.ASPath); n > 0 {
			first, last = v.ASPath[0], v.ASPath[n-1]
		}
		if r.lists != nil {
			r.lists.reset()
			r.lists.segment(v.ASPathType, wordsOf(v.ASPath))
			r.lists.communities = r.lists.add(r.lists.communities, wordsOf(v.Communities))
		}
		r.extendedGateway(v.NextHop, v.AS, v.SrcAS, v.SrcPeerAS, first, last)
	}
}

func wordsOf(v []uint32) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}
