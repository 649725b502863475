package messages

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/messages/manypb"
)

// wides are messages of any of the thirty types, which have the same fields: a third with all fields, a third with half of them,
// a third with five.
func wides() [][]byte {
	r := newRandom()
	fields := (&manypb.Wide00{}).ProtoReflect().Descriptor().Fields()
	return times(1024, func() []byte {
		share := []uint64{40, 20, 5}[r.below(3)]
		var b []byte
		for i := range fields.Len() {
			if r.below(40) < share {
				f := fields.Get(i)
				b = r.value(b, f.Number(), f.Kind().String())
			}
		}
		return b
	})
}

// value appends a field of that kind, which is not its default.
func (r *random) value(b []byte, number protowire.Number, kind string) []byte {
	switch kind {
	case "string", "bytes":
		b = protowire.AppendTag(b, number, protowire.BytesType)
		return protowire.AppendString(b, r.text(4+r.below(20)))
	case "fixed64", "double":
		v := math.Float64bits(float64(1 + r.below(1<<40)))
		return protowire.AppendFixed64(protowire.AppendTag(b, number, protowire.Fixed64Type), v)
	case "fixed32", "float":
		v := math.Float32bits(float32(1 + r.below(1<<20)))
		return protowire.AppendFixed32(protowire.AppendTag(b, number, protowire.Fixed32Type), v)
	case "bool":
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), 1)
	default: // of 32 bits at most, as all varints can have
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), 1+r.anyLength()>>33)
	}
}

// many takes the types in random turn, with the inputs in their order.
func many(types []rivals) (decode, encode map[string]harness.Factory) {
	decode, encode = map[string]harness.Factory{}, map[string]harness.Factory{}
	for name := range types[0] {
		decode[name] = func([]byte) (harness.Contender, error) { return manyContender(types, name, false) }
		encode[name] = func([]byte) (harness.Contender, error) { return manyContender(types, name, true) }
	}
	return decode, encode
}

func manyContender(types []rivals, name string, encodes bool) (harness.Contender, error) {
	inputs := wides()
	var all []rival
	size := 0
	for i, make := range types {
		r, err := make[name](inputs[i])
		if err != nil {
			return harness.Contender{}, err
		}
		all = append(all, r)
		// The encoded messages stay in the rival: one of each type.
		if err := r.decode(inputs[i]); err != nil {
			return harness.Contender{}, err
		}
	}
	turn := newRandom()
	order := times(len(inputs), func() int { return int(turn.below(uint64(len(all)))) })
	for i := range inputs {
		if encodes {
			size += len(inputs[order[i]])
		} else {
			size += len(inputs[i])
		}
	}
	next := -1
	step := func() int {
		if next++; next == len(inputs) {
			next = 0
		}
		return next
	}
	op := func() (uint64, error) {
		i := step()
		return 0, all[order[i]].decode(inputs[i])
	}
	if encodes {
		op = func() (uint64, error) {
			_, err := all[order[step()]].encode()
			return 0, err
		}
	}
	return harness.Contender{
		Op: op,
		Verify: func() error {
			for i, r := range all {
				if err := verify(r, (*manypb.Wide00)(nil).ProtoReflect().Type(), inputs[i:i+1]); err != nil {
					return err
				}
			}
			return nil
		},
		Note: all[0].note,
		Size: size / len(inputs),
	}, nil
}
