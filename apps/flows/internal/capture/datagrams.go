package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// datagrams reads a .dgrams file.
type datagrams struct {
	*Reader
	payload []byte // as large as the largest datagram so far
}

func (r *datagrams) next() (flow.Datagram, error) {
	var head [4]byte
	if _, err := io.ReadFull(r.buffer, head[:]); err != nil {
		return flow.Datagram{}, err
	}
	n := int(binary.BigEndian.Uint32(head[:]))
	if n > MaxDatagram {
		return flow.Datagram{}, fmt.Errorf("a datagram of %d bytes is longer than UDP allows", n)
	}
	if n > cap(r.payload) {
		r.payload = make([]byte, n)
	}
	payload := r.payload[:n]
	if _, err := io.ReadFull(r.buffer, payload); err != nil {
		return flow.Datagram{}, io.ErrUnexpectedEOF
	}
	from := r.From
	if !from.IsValid() {
		from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), 2055)
	}
	return flow.Datagram{Received: r.received(payload), From: from, Payload: payload}, nil
}

// received invents the time at which a datagram was received.
func (r *datagrams) received(payload []byte) time.Time {
	start := r.Start
	if start.IsZero() {
		switch p := flow.Detect(payload); {
		case p == flow.NetFlow5 && len(payload) >= 16:
			return time.Unix(int64(binary.BigEndian.Uint32(payload[8:])), int64(binary.BigEndian.Uint32(payload[12:])%1e9))
		case p == flow.NetFlow9 && len(payload) >= 12:
			return time.Unix(int64(binary.BigEndian.Uint32(payload[8:])), 0)
		case p == flow.IPFIX && len(payload) >= 8:
			return time.Unix(int64(binary.BigEndian.Uint32(payload[4:])), 0)
		}
		start = r.opened
	}
	step := r.Step
	if step == 0 {
		step = time.Millisecond
	}
	return start.Add(time.Duration(r.given) * step)
}
