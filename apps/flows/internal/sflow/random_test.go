package sflow

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// builder writes datagrams by chance, of what goflow2 and we read in the same way.
type builder struct {
	r *rand.Rand
	b []byte
}

func (w *builder) words(v ...uint32) {
	for _, v := range v {
		w.b = binary.BigEndian.AppendUint32(w.b, v)
	}
}

func (w *builder) some(n int) {
	for range n {
		w.b = append(w.b, byte(w.r.Uint32()))
	}
}

// block writes something with its type and length.
func (w *builder) block(kind uint32, write func()) {
	w.words(kind, 0)
	at := len(w.b)
	write()
	for len(w.b)%4 != 0 {
		w.b = append(w.b, 0)
	}
	binary.BigEndian.PutUint32(w.b[at-4:], uint32(len(w.b)-at))
}

// address writes one with its type. Those of zeros are none for us where they are for goflow2, so there are none.
func (w *builder) address() {
	n := []int{4, 16}[w.r.IntN(2)]
	w.words(uint32(1 + n/16))
	w.b = append(w.b, 1)
	w.some(n - 1)
}

// packet writes a packet of Ethernet.
func (w *builder) packet() {
	w.some(12)
	kind := []uint16{etherIPv4, etherIPv4, etherIPv6, etherIPv6, 0x0806, 0x88cc}[w.r.IntN(6)]
	next := []byte{ipTCP, ipUDP, ipICMP, ipICMPv6, 50, 89}[w.r.IntN(6)]
	if w.r.IntN(3) == 0 {
		w.b = append(w.b, 0x81, 0, byte(w.r.IntN(256)), byte(1+w.r.IntN(255)))
	}
	if w.r.IntN(5) == 0 && (kind == etherIPv4 || kind == etherIPv6) {
		w.b = binary.BigEndian.AppendUint16(w.b, etherMPLS)
		for range w.r.IntN(3) {
			w.words(uint32(16+w.r.IntN(1000))<<12 | 64)
		}
		w.words(uint32(16+w.r.IntN(1000))<<12 | 1<<8 | 64)
	} else {
		w.b = binary.BigEndian.AppendUint16(w.b, kind)
	}
	switch kind {
	case etherIPv4:
		w.b = append(w.b, 0x45, byte(w.r.Uint32()), 5, 220)
		w.some(2)
		w.b = append(w.b, byte(w.r.IntN(8))<<5, 0, byte(w.r.Uint32()), next)
		w.some(2 + 8)
	case etherIPv6:
		w.words(6<<28 | w.r.Uint32()>>4)
		w.b = append(w.b, 5, 220, next, byte(w.r.Uint32()))
		w.some(32)
	}
	w.some([]int{0, 20 + w.r.IntN(80)}[w.r.IntN(2)]) // goflow2 needs whole headers of TCP and UDP
}

// sample writes a flow sample with records in any order, each kind once at most.
func (w *builder) sample() {
	expanded := w.r.IntN(2) == 0
	kind := uint32(flowSample)
	if expanded {
		kind = expandedFlowSample
	}
	w.block(kind, func() {
		w.words(w.r.Uint32(), w.r.Uint32())
		if expanded {
			w.words(w.r.Uint32())
		}
		w.words(w.r.Uint32(), w.r.Uint32(), w.r.Uint32())
		for range 2 { // goflow2 does not look at the kind of an interface
			if expanded {
				w.words(0)
			}
			w.words(w.r.Uint32() >> 3)
		}
		records := []func(){w.header, w.extendedSwitch, w.router, w.gateway, w.stranger}
		if w.r.IntN(4) == 0 {
			records[0] = w.sampledIP
		}
		w.r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		n := w.r.IntN(len(records) + 1)
		w.words(uint32(n))
		for _, write := range records[:n] {
			write()
		}
	})
}

func (w *builder) header() {
	w.block(sampledHeader, func() {
		w.words(headerEthernet, w.r.Uint32(), 4, 0)
		at := len(w.b)
		w.packet()
		for (len(w.b)-at)%4 != 0 { // goflow2 takes what pads it for a part of it
			w.some(1)
		}
		binary.BigEndian.PutUint32(w.b[at-4:], uint32(len(w.b)-at))
	})
}

func (w *builder) sampledIP() {
	kind, size := uint32(sampledIPv4), 8
	if w.r.IntN(2) == 0 {
		kind, size = sampledIPv6, 32
	}
	w.block(kind, func() {
		w.words(0, w.r.Uint32()) // the length is of the packet, which goflow2 mixes with lengths of frames
		w.some(size)
		w.words(w.r.Uint32(), w.r.Uint32(), 0, w.r.Uint32()) // goflow2 does not take the flags
	})
}

func (w *builder) extendedSwitch() {
	w.block(extendedSwitch, func() { w.words(1+w.r.Uint32N(4095), w.r.Uint32(), 1+w.r.Uint32N(4095), w.r.Uint32()) })
}

func (w *builder) router() {
	w.block(extendedRouter, func() {
		w.address()
		w.words(w.r.Uint32(), w.r.Uint32())
	})
}

func (w *builder) gateway() {
	w.block(extendedGateway, func() {
		w.address()
		w.words(w.r.Uint32(), w.r.Uint32()*uint32(w.r.IntN(2)), w.r.Uint32())
		if w.r.IntN(4) == 0 {
			w.words(0)
		} else {
			n := w.r.IntN(5)
			w.words(1, 2, uint32(n))
			for range n {
				w.words(1 + w.r.Uint32()>>1)
			}
		}
		n := w.r.IntN(3)
		w.words(uint32(n))
		w.some(4 * n)
		w.words(100)
	})
}

// stranger is a record that nobody reads.
func (w *builder) stranger() {
	w.block(4413<<12|1, func() { w.some(4 * w.r.IntN(8)) })
}

// random makes a datagram.
func random(seed uint64) flow.Datagram {
	w := &builder{r: rand.New(rand.NewPCG(seed, 5))}
	w.words(5)
	w.address()
	n := w.r.IntN(6)
	w.words(w.r.Uint32(), w.r.Uint32(), w.r.Uint32(), uint32(n))
	for range n {
		if w.r.IntN(8) == 0 {
			w.block(uint32(2+2*w.r.IntN(2)), func() { w.words(1, 1, 0, 0) }) // counters without counters
			continue
		}
		w.sample()
	}
	return flow.Datagram{
		Received: time.Unix(1700000000, int64(seed)*1e6%1e9), From: netip.MustParseAddrPort("192.0.2.9:6343"), Payload: w.b,
	}
}

func TestRandomSamplesAreWhatGoflow2MakesOfThem(t *testing.T) {
	var ds []flow.Datagram
	for seed := range uint64(4000) {
		ds = append(ds, random(seed))
	}
	if n := compare(t, ds, all); n < 4000 {
		t.Errorf("%d flows", n)
	}
}
