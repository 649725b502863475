package capture

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Writer writes datagrams to a file.
type Writer struct {
	to     *bufio.Writer
	pcap   *pcapgo.Writer // nil for .dgrams
	packet []byte
}

// NewWriter writes the format .dgrams, which stores neither senders nor times.
func NewWriter(to io.Writer) *Writer { return &Writer{to: bufio.NewWriter(to)} }

// NewPcapWriter writes the format pcap, which stores both. The receiver is invented: 192.0.2.254 or 2001:db8::254,
// with port 2055, or 6343 for sFlow.
func NewPcapWriter(to io.Writer) (*Writer, error) {
	w := NewWriter(to)
	w.pcap = pcapgo.NewWriterNanos(w.to)
	return w, w.pcap.WriteFileHeader(maxPacket, layers.LinkTypeRaw)
}

// Write writes one datagram.
func (w *Writer) Write(d flow.Datagram) error {
	if len(d.Payload) > MaxDatagram-48 { // the bytes that IPv6 and UDP need
		return fmt.Errorf("a datagram of %d bytes is longer than UDP allows", len(d.Payload))
	}
	if w.pcap == nil {
		if _, err := w.to.Write(binary.BigEndian.AppendUint32(w.packet[:0], uint32(len(d.Payload)))); err != nil {
			return err
		}
		_, err := w.to.Write(d.Payload)
		return err
	}
	w.packet = appendPacket(w.packet[:0], d)
	n := len(w.packet)
	return w.pcap.WritePacket(gopacket.CaptureInfo{Timestamp: d.Received, CaptureLength: n, Length: n}, w.packet)
}

// Flush writes out the buffered bytes.
func (w *Writer) Flush() error { return w.to.Flush() }

// appendPacket adds the headers of IP and UDP to a payload. UDP's checksum is left out, which RFC 768 allows with
// IPv4.
func appendPacket(b []byte, d flow.Datagram) []byte {
	port := uint16(2055)
	if flow.Detect(d.Payload) == flow.SFlow5 {
		port = 6343
	}
	length := uint16(8 + len(d.Payload))
	source := d.From.Addr()
	if source.Is4() {
		b = append(b, 0x45, 0)
		b = binary.BigEndian.AppendUint16(b, 20+length)
		b = append(b, 0, 0, 0, 0, 64, ipUDP, 0, 0)
		b = append(b, source.AsSlice()...)
		b = append(b, 192, 0, 2, 254)
		binary.BigEndian.PutUint16(b[10:], checksum(b, 0))
	} else {
		target := netip.MustParseAddr("2001:db8::254").As16()
		b = append(b, 0x60, 0, 0, 0)
		b = binary.BigEndian.AppendUint16(b, length)
		b = append(b, ipUDP, 64)
		sixteen := source.As16()
		b = append(b, sixteen[:]...)
		b = append(b, target[:]...)
	}
	udp := len(b)
	b = binary.BigEndian.AppendUint16(b, d.From.Port())
	b = binary.BigEndian.AppendUint16(b, port)
	b = binary.BigEndian.AppendUint16(b, length)
	b = append(b, 0, 0)
	b = append(b, d.Payload...)
	if !source.Is4() { // the sum covers addresses, protocol and length, too
		binary.BigEndian.PutUint16(b[udp+6:], checksum(b[8:], ipUDP+uint32(length)))
	}
	return b
}

// checksum is the Internet checksum of b, on top of sum. It is never 0, which would mean that there is none.
func checksum(b []byte, sum uint32) uint16 {
	for len(b) > 1 {
		sum += uint32(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) > 0 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	if sum == 0xffff {
		return 0xffff
	}
	return ^uint16(sum)
}
