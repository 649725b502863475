// Package capture reads datagrams from files of the formats pcap, pcapng and .dgrams, also compressed with gzip,
// and writes .dgrams and pcap. The first bytes of a file decide about its format.
//
// A .dgrams file consists of length-prefixed datagrams:
//
//	+----------------------+---------+----------------------+-----
//	| length, 4 bytes, big | payload | length, 4 bytes, big | ...
//	| endian, <= 65535     |         |                      |
//	+----------------------+---------+----------------------+-----
//
// It has no senders and no times: see Reader.From and Reader.Start.
package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// MaxDatagram is the longest payload that UDP allows.
const MaxDatagram = 65535

// Reader returns the datagrams of a file one by one. Only one goroutine may use it; Offset may be called from any.
type Reader struct {
	// From is the sender of the datagrams of a .dgrams file; by default 192.0.2.1:2055, an address for documentation.
	From netip.AddrPort
	// Start is when the first datagram of a .dgrams file was received, and Step the time from each datagram to the
	// next. Without Start, each datagram was received when its header says that it was exported. sFlow headers do not
	// say, so Start is then the time at which the file was opened. The default of Step is a millisecond.
	Start time.Time
	Step  time.Duration

	name   string
	file   io.Closer
	size   int64
	offset *counter // of the file
	stream *counter // of its contents, uncompressed
	buffer *bufio.Reader
	next   func() (flow.Datagram, error)
	opened time.Time
	given  int
	err    error

	skipped Skipped
}

// Skipped counts what a capture has besides whole UDP datagrams.
type Skipped struct {
	Fragments int // fragments of IP packets
	Cut       int // packets that the capture has cut short
	Other     int // packets that are not UDP over IP, or have an unknown link type
}

// Open opens a file and detects its format.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size := int64(0)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	r, err := NewReader(path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.file, r.size = file, size
	return r, nil
}

// NewReader reads from r what Open would read from a file. Errors contain the name.
func NewReader(name string, from io.Reader) (*Reader, error) {
	r := &Reader{name: name, offset: &counter{from: from}, opened: time.Now()}
	r.stream = r.offset
	r.buffer = bufio.NewReaderSize(r.offset, 64<<10)
	magic, _ := r.buffer.Peek(4)
	if bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(r.buffer)
		if err != nil {
			return nil, r.wrong(0, err)
		}
		r.stream = &counter{from: plain}
		r.buffer = bufio.NewReaderSize(r.stream, 64<<10)
	}
	magic, err := r.buffer.Peek(4)
	if err != nil && err != io.EOF {
		return nil, r.wrong(0, err)
	}
	switch {
	case len(magic) == 0: // a file without datagrams
		r.next = func() (flow.Datagram, error) { return flow.Datagram{}, io.EOF }
	case len(magic) < 4:
		return nil, r.wrong(0, io.ErrUnexpectedEOF)
	case magic[0] == 0 && magic[1] == 0:
		r.next = (&datagrams{Reader: r}).next
	default:
		source, err := packetSource(string(magic), r.buffer)
		if err != nil {
			return nil, r.wrong(0, err)
		}
		r.next = (&packets{Reader: r, packetReader: source}).next
	}
	return r, nil
}

// Next returns the next datagram. Its payload is valid until the next call. At the end the error is io.EOF. Any
// other error names the file and the position in the uncompressed bytes, and Next returns it again from then on.
func (r *Reader) Next() (flow.Datagram, error) {
	if r.err != nil {
		return flow.Datagram{}, r.err
	}
	at := r.stream.count.Load() - int64(r.buffer.Buffered())
	d, err := r.next()
	if err != nil {
		if err != io.EOF {
			err = r.wrong(at, err)
		}
		r.err = err
		return flow.Datagram{}, err
	}
	r.given++
	return d, nil
}

// Size returns the size of the file in bytes; 0 if it is unknown, as for a pipe.
func (r *Reader) Size() int64 { return r.size }

// Offset returns how many bytes of the file have been read, up to Size.
func (r *Reader) Offset() int64 { return r.offset.count.Load() }

// Skipped returns what has been skipped so far.
func (r *Reader) Skipped() Skipped { return r.skipped }

// Close closes the file.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.name, os.ErrClosed)
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

func (r *Reader) wrong(at int64, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the file ends in the middle of a packet: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: at byte %d: %w", r.name, at, err)
}

// counter counts the bytes that are read.
type counter struct {
	from  io.Reader
	count atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.count.Add(int64(n))
	return n, err
}
