package flow

import "github.com/VictoriaMetrics/easyproto"

func newEasyproto(fields int) rival {
	var m easyproto.Marshaler
	var out []byte
	return rival{func(i int) ([]byte, error) {
		m.Reset()
		mm := m.MessageMarshaler()
		f := &flows[i]
		easySmall(mm, &f.Flow14)
		if fields == 33 {
			easyLarge(mm, f)
		}
		out = m.Marshal(out[:0])
		return out, nil
	}, "one Marshaler, one buffer"}
}

func easySmall(mm *easyproto.MessageMarshaler, f *Flow14) {
	mm.AppendUint64(1, f.TimeReceived)
	mm.AppendUint64(2, f.SamplingRate)
	exporter, src, dst := f.ExporterAddress.As16(), f.SrcAddr.As16(), f.DstAddr.As16()
	mm.AppendBytes(3, exporter[:])
	mm.AppendUint32(4, f.InIf)
	mm.AppendUint32(5, f.OutIf)
	mm.AppendBytes(6, src[:])
	mm.AppendBytes(7, dst[:])
	mm.AppendUint64(8, f.Bytes)
	mm.AppendUint64(9, f.Packets)
	mm.AppendUint32(10, f.Etype)
	mm.AppendUint32(11, uint32(f.Proto))
	mm.AppendUint32(12, uint32(f.SrcPort))
	mm.AppendUint32(13, uint32(f.DstPort))
	mm.AppendUint32(14, uint32(f.TCPFlags))
}

func easyLarge(mm *easyproto.MessageMarshaler, f *Flow33) {
	mm.AppendUint32(15, f.SrcAS)
	mm.AppendUint32(16, f.DstAS)
	mm.AppendUint32(17, uint32(f.SrcNetMask))
	mm.AppendUint32(18, uint32(f.DstNetMask))
	mm.AppendUint32(19, uint32(f.SrcVlan))
	mm.AppendUint32(20, uint32(f.DstVlan))
	mm.AppendUint64(21, f.SrcMAC)
	mm.AppendUint64(22, f.DstMAC)
	hop := f.NextHop.As16()
	mm.AppendBytes(23, hop[:])
	mm.AppendUint32(24, uint32(f.IPTos))
	mm.AppendUint32(25, uint32(f.IPTTL))
	mm.AppendUint32(26, f.IPv6FlowLabel)
	mm.AppendUint32(27, uint32(f.ForwardingStatus))
	mm.AppendString(28, f.ExporterName)
	mm.AppendString(29, f.InIfName)
	mm.AppendString(30, f.OutIfName)
	mm.AppendUint32(31, f.InIfSpeed)
	mm.AppendString(32, f.SrcCountry)
	mm.AppendInt32(33, f.InIfBoundary)
}
