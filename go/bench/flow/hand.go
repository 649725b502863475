package flow

import (
	"encoding/binary"
	"net/netip"
)

// newHand is code by hand for exactly this message: constant tags, each value appended to a buffer that is
// used again.
func newHand(fields int) rival {
	buffer := make([]byte, 0, 1024)
	return rival{func(i int) ([]byte, error) {
		f := &flows[i]
		buffer = handSmall(buffer[:0], &f.Flow14)
		if fields == 33 {
			buffer = handLarge(buffer, f)
		}
		return buffer, nil
	}, "one buffer"}
}

// handNumber writes a number of a column below 16, handNumber2 of one above.
func handNumber(b []byte, number byte, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(append(b, number<<3), v)
}

func handNumber2(b []byte, number byte, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(append(b, number<<3|0x80, number>>4), v)
}

func handAddr(b []byte, v netip.Addr) []byte {
	address := v.As16()
	return append(append(b, 16), address[:]...)
}

func handString(b []byte, number byte, v string) []byte {
	if v == "" {
		return b
	}
	return append(binary.AppendUvarint(append(b, number<<3|0x82, number>>4), uint64(len(v))), v...)
}

func handSmall(b []byte, f *Flow14) []byte {
	b = handNumber(b, 1, f.TimeReceived)
	b = handNumber(b, 2, f.SamplingRate)
	b = handAddr(append(b, 3<<3|2), f.ExporterAddress)
	b = handNumber(b, 4, uint64(f.InIf))
	b = handNumber(b, 5, uint64(f.OutIf))
	b = handAddr(append(b, 6<<3|2), f.SrcAddr)
	b = handAddr(append(b, 7<<3|2), f.DstAddr)
	b = handNumber(b, 8, f.Bytes)
	b = handNumber(b, 9, f.Packets)
	b = handNumber(b, 10, uint64(f.Etype))
	b = handNumber(b, 11, uint64(f.Proto))
	b = handNumber(b, 12, uint64(f.SrcPort))
	b = handNumber(b, 13, uint64(f.DstPort))
	return handNumber(b, 14, uint64(f.TCPFlags))
}

func handLarge(b []byte, f *Flow33) []byte {
	b = handNumber(b, 15, uint64(f.SrcAS))
	b = handNumber2(b, 16, uint64(f.DstAS))
	b = handNumber2(b, 17, uint64(f.SrcNetMask))
	b = handNumber2(b, 18, uint64(f.DstNetMask))
	b = handNumber2(b, 19, uint64(f.SrcVlan))
	b = handNumber2(b, 20, uint64(f.DstVlan))
	b = handNumber2(b, 21, f.SrcMAC)
	b = handNumber2(b, 22, f.DstMAC)
	b = handAddr(append(b, 23<<3&0x7f|0x82, 23>>4), f.NextHop)
	b = handNumber2(b, 24, uint64(f.IPTos))
	b = handNumber2(b, 25, uint64(f.IPTTL))
	b = handNumber2(b, 26, uint64(f.IPv6FlowLabel))
	b = handNumber2(b, 27, uint64(f.ForwardingStatus))
	b = handString(b, 28, f.ExporterName)
	b = handString(b, 29, f.InIfName)
	b = handString(b, 30, f.OutIfName)
	b = handNumber2(b, 31, uint64(f.InIfSpeed))
	b = handString(b, 32, f.SrcCountry)
	return handNumber2(b, 33, uint64(f.InIfBoundary))
}
