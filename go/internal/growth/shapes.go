package growth

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/hotpb/hotpb/go/wire"
)

// Shapes are encodings of hotpb.vectors.p2.All with which a sender may try to make a reader do more than the bytes are
// worth.
var Shapes = map[string]func(n int) []byte{
	"nothing else but elements": func(n int) []byte { return times(n, message(318, varint(1, 1), text(2, "name"))) },
	"a map of one key":          func(n int) []byte { return times(n, message(614, text(1, "a"), text(2, "b"))) },
	"a map of many keys": func(n int) []byte {
		return each(n, func(i int) []byte { return message(719, text(1, fmt.Sprint(i)), message(2)) })
	},
	"a map by falling keys": func(n int) []byte {
		return each(n, func(i int) []byte {
			return join(message(601, varint(1, n-i), varint(2, 1)), message(614, text(1, fmt.Sprintf("%08d", n-i))))
		})
	},
	"two maps in turn": func(n int) []byte {
		return each(n, func(i int) []byte {
			return join(message(718, varint(1, i), message(2)), message(601, varint(1, i), varint(2, 1)))
		})
	},
	"map values in many records": func(n int) []byte { return message(719, times(n, message(2, varint(1, 1)))) },
	"a key again and again":      func(n int) []byte { return message(719, times(n, text(1, "k"))) },
	"undefined values in a map":  func(n int) []byte { return times(n, message(717, varint(1, 1), varint(2, 12345))) },
	"a message in many records":  func(n int) []byte { return times(n, message(18, varint(1, 1))) },
	"many records with lists": func(n int) []byte {
		return times(n, join(message(18, varint(4, 1), message(9)), message(19, varint(301, 1), message(319))))
	},
	"others between the records": func(n int) []byte { return times(n, join(message(18), varint(1, 1), message(19), varint(60_000, 1))) },
	"a value again and again":    func(n int) []byte { return times(n, join(text(14, "abc"), text(15, "x"), varint(17, 1))) },
	"lists in turn": func(n int) []byte {
		return times(n, join(varint(301, 1), varint(302, 2), message(318), text(314, "x"), packed(417, 1, 12345), message(319)))
	},
	"lists shuffled": func(n int) []byte {
		r := rand.New(rand.NewPCG(1, 2))
		records := [][]byte{varint(301, 1), text(314, "x"), text(315, "y"), message(318, varint(1, 1)), message(319), packed(401, 1, 2), varint(317, 1), group(911, varint(1, 1))}
		return each(n, func(int) []byte { return records[r.IntN(len(records))] })
	},
	"lists of lists": func(n int) []byte {
		return times(n/8, message(319, times(4, message(318, times(2, message(9))))))
	},
	"unknown fields":         func(n int) []byte { return times(n, join(varint(60_000, 1), message(60_001, varint(1, 1)))) },
	"unknown types":          func(n int) []byte { return times(n, join(varint(318, 1), message(1), varint(614, 1))) },
	"extensions":             func(n int) []byte { return times(n, join(varint(1301, 1), message(1018), varint(1001, 1))) },
	"undefined enum values":  func(n int) []byte { return join(times(n, varint(417, 12345)), packed(417, make([]int, n)...)) },
	"groups":                 func(n int) []byte { return times(n, group(911, varint(1, 1), group(912, varint(1, 2)))) },
	"a group in many":        func(n int) []byte { return times(n, group(901, varint(301, 1), message(614, text(1, "k")))) },
	"the widest message":     func(n int) []byte { return times(n, message(319)) },
	"message-set items":      func(n int) []byte { return message(922, times(n, group(1, varint(2, 1000), message(3, varint(1, 5))))) },
	"one item of many parts": func(n int) []byte { return message(922, group(1, varint(2, 1000), times(n, message(3)))) },
	"unknown items": func(n int) []byte {
		return message(922, each(n, func(i int) []byte { return group(1, varint(2, 5000+i), message(3)) }))
	},
	"a oneof to and fro": func(n int) []byte { return times(n, join(message(818, message(9)), varint(801, 1), text(814, "x"))) },
	"one run in a oneof": func(n int) []byte { return times(n, message(818, varint(1, 1))) },
	"a oneof in a list":  func(n int) []byte { return times(n, message(318, message(7), varint(8, 1), message(7))) },
	"packed bools":       func(n int) []byte { return packed(413, make([]int, n)...) },
	"small packed parts": func(n int) []byte { return times(n, join(packed(401, 1), packed(413), packed(402, 300, 5))) },
	"packed and not":     func(n int) []byte { return times(n, join(packed(301, 1), varint(401, 2))) },
	"long strings":       func(n int) []byte { return times(4, text(314, string(bytes.Repeat([]byte("é"), n)))) },
	"depth": func(n int) []byte {
		b := times(n/10, varint(4, 1))
		for range 98 {
			b = message(3, b)
		}
		return message(18, b)
	},
	"deep groups": func(n int) []byte {
		b := []byte{}
		for range 98 {
			b = group(70_000, b)
		}
		return times(n/10, b)
	},
	"split on every level": func(n int) []byte {
		b := times(n/10, varint(1, 1))
		for range 98 {
			b = join(message(19, b), message(19))
		}
		return b
	},
}

// Damaged adds a record that ends too soon.
func Damaged(b []byte) []byte { return append(b, 0x80) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func times(n int, record []byte) []byte { return bytes.Repeat(record, n) }

func each(n int, record func(i int) []byte) (b []byte) {
	for i := range n {
		b = append(b, record(i)...)
	}
	return b
}

func varint(number uint32, v int) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.VarintType), uint64(v))
}

func text(number uint32, s string) []byte { return message(number, []byte(s)) }

func message(number uint32, parts ...[]byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), join(parts...))
}

func group(number uint32, parts ...[]byte) []byte {
	return wire.AppendTag(append(wire.AppendTag(nil, number, wire.StartGroup), join(parts...)...), number, wire.EndGroup)
}

func packed(number uint32, values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = wire.AppendVarint(b, uint64(v))
	}
	return message(number, b)
}
