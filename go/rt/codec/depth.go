package codec

import "github.com/hotpb/hotpb/go/rt/wire"

// Shape describes which messages a message type contains, by field number. The entries of a map have a Shape of their
// own. Runtimes create shapes for [TooDeeply].
type Shape map[uint32]Shape

// TooDeeply reports whether messages, groups and map entries nest deeper in b, a message of this shape, than levels.
// It serves decoders that have no limit of their own. It stops at the first error in b.
func TooDeeply(b []byte, shape Shape, levels int) bool {
	deep, _ := tooDeeply(b, 0, shape, levels)
	return deep
}

// tooDeeply checks the records from i on, up to the end of b or the first end tag. It returns the position after
// that, or a negative one.
func tooDeeply(b []byte, i int, shape Shape, levels int) (deep bool, next int) {
	for i < len(b) {
		tag, value := ReadTag(b, i)
		if value < 0 || tag.Type() == wire.EndGroup {
			return false, value
		}
		child, is := shape[tag.Number()]
		switch {
		case is && levels <= 0 && (tag.Type() == wire.BytesType || tag.Type() == wire.StartGroup):
			return true, failed
		case is && tag.Type() == wire.StartGroup:
			if deep, i = tooDeeply(b, value, child, levels-1); deep {
				return true, failed
			}
		case is && tag.Type() == wire.BytesType:
			var from int
			if from, i = ReadBytes(b, value); from >= 0 && i >= 0 {
				if deep, _ = tooDeeply(b[:i], from, child, levels-1); deep {
					return true, failed
				}
			}
		default:
			i = Skip(b, value, tag)
		}
		if i < 0 {
			return false, failed
		}
	}
	return false, i
}
