// Package capture reads datagrams from files, of pcap, pcapng and .dgrams, also compressed with gzip, and writes
// .dgrams and pcap. What kind a file is, its first bytes tell.
//
// A .dgrams file is datagrams one after the other, each behind its length:
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

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// MaxDatagram is the longest payload that UDP has room for.
const MaxDatagram = 65535

// Reader gives the datagrams of a file one by one. It is for one goroutine; Offset may be called from any.
type Reader struct {
	// From is the sender of the datagrams of a .dgrams file, 192.0.2.1:2055 (an address for documentation) if not set.
	From netip.AddrPort
	// Start is when the first datagram of a .dgrams file was received, and Step how much later each next one. If Start is
	// not set, each was received when its header says it was exported; sFlow says nothing, so there it is as if Start was
	// when the file was opened. Step is a millisecond if not set.
	Start time.Time
	Step  time.Duration

	name   string
	file   io.Closer
	size   int64
	offset *counter // of the file
	stream *counter // of what is in it, uncompressed
	buffer *bufio.Reader
	next   func() (flow.Datagram, error)
	opened time.Time
	given  int
	err    error

	skipped Skipped
}

// Skipped is what a capture has beside whole UDP datagrams.
type Skipped struct {
	Fragments int // parts of IP packets
	Cut       int // packets that the capture has not kept whole
	Other     int // what is no UDP in IP, or of a link type that is not known
}

// Open opens a file and finds out what it is.
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

// NewReader reads what Open would read from a file; the name is for errors.
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
	case len(magic) == 0: // a file of no datagrams
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

// Next gives the next datagram, whose payload is valid until the one after it is asked for. At the end the error is
// io.EOF; another one tells the file and the place (of the uncompressed bytes), and stays.
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

// Size is how many bytes the file has; 0 when that is not known, of a pipe say.
func (r *Reader) Size() int64 { return r.size }

// Offset is how many bytes of the file have been read: up to Size.
func (r *Reader) Offset() int64 { return r.offset.count.Load() }

// Skipped is what has been passed over so far.
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

// counter counts what is read.
type counter struct {
	from  io.Reader
	count atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.count.Add(int64(n))
	return n, err
}
