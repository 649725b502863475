// This program reads random messages of a random schema, well-formed and damaged ones, with the pool and the view
// that were generated for it, and with dynamicpb. All must accept and refuse the same bytes, and agree about the
// contents.
//
// Known differences, which the comparison ignores (spec/wire.md defines what hotpb does):
//   - a value varint whose tenth byte is above 1 is refused by protobuf-go, and cut off by hotpb;
//   - a tag of more than five bytes is refused by hotpb, and read by protobuf-go;
//   - messages, groups and entries nest 100 deep in hotpb, 10,000 deep in protobuf-go;
//   - undefined values of closed enums are unknown fields in hotpb, and values in protobuf-go.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	hot "example.com/random/random/randomhot"
	"github.com/hotpb/hotpb/go/rt/pool"
	"github.com/hotpb/hotpb/go/rt/view"
)

var (
	seed     = flag.Uint64("seed", 0, "of the messages")
	messages = flag.Int("messages", 100, "of each type")
	random   *rand.Rand
)

func main() {
	flag.Parse()
	random = rand.New(rand.NewPCG(*seed, 2))
	raw, err := os.ReadFile("schema.fds")
	must(err)
	var set descriptorpb.FileDescriptorSet
	must(proto.Unmarshal(raw, &set))
	files, err := protodesc.NewFiles(&set)
	must(err)
	read, refused, left := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(hot.Canonical_random)) {
		desc, err := files.FindDescriptorByName(protoreflect.FullName(name))
		must(err)
		pooled := hot.Canonical_random[name]()
		for n := range *messages {
			b := encoded(desc.(protoreflect.MessageDescriptor))
			if n%2 == 1 {
				b = damaged(b)
			}
			stock := dynamicpb.NewMessage(desc.(protoreflect.MessageDescriptor))
			stockErr := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, stock)
			if differs(b, stock) {
				left++
				continue
			}
			hotErr := pool.Unmarshal(pooled, b, pool.Options{AllowPartial: true, Mode: pool.Mode(n % 3)})
			viewed := hot.Reencoders_random[name]()
			viewErr := viewed.DecodeWith(b, view.Options{})
			if viewErr == nil {
				viewErr = viewed.Validate()
			}
			if (hotErr == nil) != (stockErr == nil) || (viewErr == nil) != (stockErr == nil) {
				fail(name, b, "pool: %v, view: %v, dynamicpb: %v", hotErr, viewErr, stockErr)
			}
			if stockErr != nil {
				refused++
				continue
			}
			read++
			out, err := pooled.MarshalWith(nil, pool.MarshalOptions{AllowPartial: true, Deterministic: n%4 == 0})
			if err != nil || len(out) != pooled.Size() {
				fail(name, b, "encoding: %v, %d bytes, Size %d", err, len(out), pooled.Size())
			}
			same(name, b, out, stock)
			canonical, err := pooled.AppendCanonicalHot(nil)
			must(err)
			same(name, b, canonical, stock)
			reencoded, err := viewed.AppendCanonical(nil)
			must(err)
			if !bytes.Equal(reencoded, canonical) {
				fail(name, b, "the pool has %x, the view %x", canonical, reencoded)
			}
			if !pooled.EqualAnyHot(pooled.CloneAnyHot()) {
				fail(name, b, "the clone is not equal")
			}
		}
	}
	fmt.Printf("%d types: %d messages read, %d refused, %d left out\n", len(hot.Canonical_random), read, refused, left)
	if read < 1000 || refused < 100 || left > (read+refused)/10 {
		fail("", nil, "that says too little")
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func fail(name string, input []byte, format string, arguments ...any) {
	fmt.Printf("%s %x: "+format+"\n", append([]any{name, input}, arguments...)...)
	os.Exit(1)
}

// same reads hotpb's output with dynamicpb. A later value may have replaced an undefined value of a closed enum in
// dynamicpb's message. As an unknown field the undefined value is still there, and comes last.
func same(name string, input, out []byte, want *dynamicpb.Message) {
	got := dynamicpb.NewMessage(want.Descriptor())
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(out, got); err != nil || !hasUndefined(got) && !proto.Equal(got, want) {
		fail(name, input, "written it is %x (%v):\n%v\nwant\n%v", out, err, got, want)
	}
}

// encoded is a random message, in one part or in several parts that merge.
func encoded(desc protoreflect.MessageDescriptor) (b []byte) {
	for range 1 + random.IntN(2)*random.IntN(3) {
		m := dynamicpb.NewMessage(desc)
		fill(m, 1+random.IntN(3))
		part, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
		must(err)
		b = append(b, part...)
		if random.IntN(4) == 0 { // unknown fields
			b = protowire.AppendTag(b, protowire.Number(900+random.IntN(5)), protowire.VarintType)
			b = protowire.AppendVarint(b, random.Uint64())
		}
	}
	return b
}

func damaged(b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + random.IntN(3) {
		if len(b) == 0 {
			return []byte{byte(random.Uint32())}
		}
		switch at := random.IntN(len(b)); random.IntN(4) {
		case 0:
			b[at] = byte(random.Uint32())
		case 1:
			b[at] ^= 1 << random.IntN(8)
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, byte(random.Uint32()))
		}
	}
	return b
}

func fill(m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if random.IntN(3) == 0 {
			continue
		}
		message := f.Message() != nil && !f.IsMap()
		switch {
		case f.IsMap():
			for range random.IntN(4) {
				key := scalar(f.MapKey()).MapKey()
				if f.MapValue().Message() == nil {
					m.Mutable(f).Map().Set(key, scalar(f.MapValue()))
				} else if value := m.Mutable(f).Map().Mutable(key); depth > 0 {
					fill(value.Message(), depth-1)
				}
			}
		case message && depth == 0:
		case f.IsList():
			list := m.Mutable(f).List()
			for range random.IntN(5) {
				if message {
					fill(list.AppendMutable().Message(), depth-1)
				} else {
					list.Append(scalar(f))
				}
			}
		case message:
			fill(m.Mutable(f).Message(), depth-1)
		default:
			m.Set(f, scalar(f))
		}
	}
}

func number() uint64 { return random.Uint64() >> random.IntN(64) }

func scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(random.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(random.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(number()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(number()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(number()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(number())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(random.Uint32()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(number()))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString([]string{"", "a", "text", "é", "twenty bytes of text", "語"}[random.IntN(6)])
	}
	return protoreflect.ValueOfBytes([]byte("\x00bytes\xff")[:random.IntN(8)])
}

// differs reports inputs about which the two are known to disagree.
func differs(b []byte, stock protoreflect.Message) bool {
	// Varints of ten bytes, as values or tags: any run of nine bytes with the high bit set, the tenth byte above 1; or a
	// run of five.
	run := 0
	for _, c := range b {
		if run >= 9 && c > 1 || run >= 5 && c == 0 {
			return true
		}
		if run++; c < 0x80 {
			run = 0
		}
	}
	return hasUndefined(stock)
}

// hasUndefined reports whether a message holds a value that its closed enum does not define.
func hasUndefined(m protoreflect.Message) (has bool) {
	undefined := func(f protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case f.Message() != nil:
			has = has || hasUndefined(v.Message())
		case f.Enum() != nil:
			has = has || f.Enum().IsClosed() && f.Enum().Values().ByNumber(v.Enum()) == nil
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { undefined(f.MapValue(), v); return true })
		case f.IsList():
			for i := range v.List().Len() {
				undefined(f, v.List().Get(i))
			}
		default:
			undefined(f, v)
		}
		return !has
	})
	return has
}
