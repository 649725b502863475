package messages

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/messages/shapespb"
)

// random is splitmix64 with the seed of the Rust half, whose inputs these are, byte for byte.
type random uint64

func newRandom() *random {
	r := random(0x0068_6f74_7062) // "hotpb"
	return &r
}

func (r *random) next() uint64 {
	*r += 0x9e37_79b9_7f4a_7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58_476d_1ce4_e5b9
	z = (z ^ z>>27) * 0x94d0_49bb_1331_11eb
	return z ^ z>>31
}

// below is a number below n.
func (r *random) below(n uint64) uint64 { return r.next() % n }

// anyLength is a number of a random length: each count of bits is as likely.
func (r *random) anyLength() uint64 {
	bits := 1 + r.below(64)
	return r.next() >> (64 - bits)
}

// text is lower-case words, n bytes in all.
func (r *random) text(n uint64) string {
	b := make([]byte, n)
	for i := range b {
		if b[i] = ' '; i%7 != 6 {
			b[i] = 'a' + byte(r.below(26))
		}
	}
	return string(b)
}

func times[T any](n int, make func() T) []T {
	list := []T{}
	for range n {
		list = append(list, make())
	}
	return list
}

func encoded(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // strings of our own making
	}
	return b
}

func packed() [][]byte {
	r := newRandom()
	m := &shapespb.Packed{}
	m.Small = times(1000, func() int32 { return int32(r.below(128)) })
	m.Large = times(1000, func() int64 { return int64(r.anyLength()) })
	m.Counts = times(1000, func() uint32 { return uint32(r.anyLength() >> 32) })
	m.Deltas = times(1000, func() int64 { return int64(r.below(2000)) - 1000 })
	m.Flags = times(1000, func() bool { return r.below(2) == 1 })
	m.Hashes = times(1000, func() uint32 { return uint32(r.next()) })
	m.Values = times(1000, func() float64 { return float64(r.below(1<<40)) / 1024 })
	return [][]byte{encoded(m)}
}

// maps are 200 entries each. They are written in the order of their creation, which no map keeps.
func maps() [][]byte {
	r := newRandom()
	var b []byte
	entry := func(field protowire.Number, key, value []byte) {
		b = protowire.AppendTag(b, field, protowire.BytesType)
		b = protowire.AppendBytes(b, append(key, value...))
	}
	text := func(field protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), s)
	}
	number := func(field protowire.Number, v uint64) []byte {
		if v == 0 {
			return nil
		}
		return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
	}
	for range 200 {
		key := text(1, r.text(12))
		entry(1, key, text(2, r.text(20)))
	}
	for range 200 {
		key := text(1, r.text(16))
		entry(2, key, number(2, r.anyLength()))
	}
	for range 200 {
		key := number(1, r.below(1<<20))
		point := &shapespb.Point{X: float64(r.below(1 << 30)), Y: float64(r.below(1 << 30))}
		point.Name = r.text(8)
		entry(3, key, protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), encoded(point)))
	}
	return [][]byte{b}
}

// deep is a chain of 80 nodes with a tree of 40 at its end.
func deep() [][]byte {
	r := newRandom()
	node := r.tree(3)
	for range 80 {
		above := r.leaf()
		above.Next = node
		node = above
	}
	return [][]byte{encoded(node)}
}

func (r *random) leaf() *shapespb.Node {
	n := 6 + r.below(12)
	return &shapespb.Node{Id: int64(r.below(1 << 40)), Name: r.text(n)}
}

func (r *random) tree(below int) *shapespb.Node {
	var children []*shapespb.Node
	if below > 0 {
		children = times(3, func() *shapespb.Node { return r.tree(below - 1) })
	}
	n := r.leaf()
	n.Children = children
	return n
}

func spans() [][]byte {
	r := newRandom()
	return times(1024, func() []byte { return encoded(r.span()) })
}

func (r *random) span() *shapespb.Span {
	name, route := 18+r.below(16), 30+r.below(20)
	s := &shapespb.Span{TraceHigh: r.next(), TraceLow: r.next(), Span: r.next()}
	s.Name = r.text(name)
	s.Service = r.text(14)
	s.StartNs = 1_795_250_863_868_000_000 + r.below(1<<40)
	s.DurationNs = r.below(1 << 30)
	s.Status = []int32{0, 0, 0, 2}[r.below(4)]
	s.Route = r.text(route)
	s.Host = fmt.Sprintf("host-%d.example.org", r.below(1000))
	s.Sampled = r.below(4) > 0
	if r.below(5) > 0 {
		s.Peer = &shapespb.Peer{Address: fmt.Sprintf("10.%d.%d.%d", r.below(256), r.below(256), r.below(256))}
		s.Peer.Port = 1024 + uint32(r.below(60_000))
		s.Peer.Zone = "eu-central-1b"
	}
	return s
}

// blobs is a megabyte in sixteen parts; Rust has no such task.
func blobs() [][]byte {
	r := newRandom()
	m := &shapespb.Blob{Name: r.text(40), Checksum: uint32(r.next())}
	m.Parts = times(16, func() []byte {
		return times(64<<10, func() byte { return byte(r.next()) })
	})
	return [][]byte{encoded(m)}
}
