package capture

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// maxPacket is the longest packet to read from a pcap file, the limit of libpcap. A file whose header claims more
// is not believed.
const maxPacket = 262144

// packetReader is what both kinds of capture files implement. Each packet comes with its link type.
type packetReader func() ([]byte, gopacket.CaptureInfo, layers.LinkType, error)

// packetSource opens a capture file.
func packetSource(magic string, from *bufio.Reader) (packetReader, error) {
	switch magic {
	case "\x0a\x0d\x0d\x0a":
		r, err := pcapgo.NewNgReader(from, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
		if err != nil {
			return nil, err
		}
		return func() ([]byte, gopacket.CaptureInfo, layers.LinkType, error) {
			data, info, err := r.ZeroCopyReadPacketData()
			if err != nil {
				return nil, info, 0, err
			}
			return data, info, info.AncillaryData[0].(layers.LinkType), nil
		}, nil
	case "\xa1\xb2\xc3\xd4", "\xd4\xc3\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x4d\x3c\xb2\xa1":
		r, err := pcapgo.NewReader(from)
		if err != nil {
			return nil, err
		}
		if r.Snaplen() > maxPacket {
			r.SetSnaplen(maxPacket)
		}
		return func() ([]byte, gopacket.CaptureInfo, layers.LinkType, error) {
			data, info, err := r.ZeroCopyReadPacketData()
			return data, info, r.LinkType(), err
		}, nil
	}
	return nil, errors.New("is not a pcap, pcapng or .dgrams file")
}

// packets reads the datagrams of a capture file.
type packets struct {
	*Reader
	packetReader
	last time.Time
}

func (r *packets) next() (flow.Datagram, error) {
	for {
		data, info, link, err := r.packetReader()
		if err != nil {
			if err == io.EOF && len(data) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return flow.Datagram{}, err
		}
		if info.Timestamp.IsZero() { // simple packets of pcapng have none
			info.Timestamp = r.last
		}
		r.last = info.Timestamp
		from, payload, result := datagramOf(link, data)
		switch result {
		case whole:
			return flow.Datagram{Received: info.Timestamp, From: from, Payload: payload}, nil
		case fragment:
			r.skipped.Fragments++
		case cut:
			r.skipped.Cut++
		default:
			r.skipped.Other++
		}
	}
}
