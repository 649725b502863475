package reflect

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// rest holds the parts of a message's unknown fields: extensions that the resolver knows, and everything else.
type rest struct {
	extensions []extension // by number
	unknown    []byte
}

type extension struct {
	descriptor protoreflect.ExtensionTypeDescriptor
	value      protoreflect.Value
}

func (r *rest) extension(fd protoreflect.FieldDescriptor) (v protoreflect.Value, has bool) {
	for _, x := range r.extensions {
		if x.descriptor.Number() == fd.Number() {
			return x.value, x.descriptor.FullName() == fd.FullName()
		}
	}
	return v, false
}

// others returns the parts of the message that are not fields.
func (r *message) others() *rest {
	if found := r.rest.Load(); found != nil {
		return found
	}
	found, err := r.split()
	if err != nil { // not in a checked message, as long as no one changes it
		found = &rest{unknown: plain(r.unknown())}
	}
	r.rest.CompareAndSwap(nil, found)
	return r.rest.Load()
}

// split decodes the extensions with the stock runtime. Their messages are the stock runtime's.
func (r *message) split() (*rest, error) {
	all := plain(r.unknown())
	d := r.as.descriptor
	ranges := d.ExtensionRanges()
	switch {
	case len(all) == 0 || ranges.Len() == 0:
		return &rest{unknown: all}, nil
	case isMessageSet(d):
		return r.items(all)
	}
	found := &rest{}
	_, types := r.from.in()
	var known []byte
	for len(all) > 0 {
		number, _, n := protowire.ConsumeField(all)
		if _, err := types.FindExtensionByNumber(d.FullName(), number); err == nil && ranges.Has(number) {
			known = append(known, all[:n]...)
		} else {
			found.unknown = append(found.unknown, all[:n]...)
		}
		all = all[n:]
	}
	if len(known) == 0 {
		return found, nil
	}
	holder := r.as.stock.New()
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: types}).Unmarshal(known, holder.Interface()); err != nil {
		return nil, fmt.Errorf("hotpb: the extensions of a %s: %w", d.FullName(), err)
	}
	holder.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if x, ok := fd.(protoreflect.ExtensionTypeDescriptor); ok {
			found.extensions = append(found.extensions, extension{x, v})
		}
		return true
	})
	found.unknown = append(found.unknown, holder.GetUnknown()...) // records of another wire type
	found.sort()
	return found, nil
}

func (r *rest) sort() {
	slices.SortFunc(r.extensions, func(a, b extension) int { return int(a.descriptor.Number()) - int(b.descriptor.Number()) })
}

func isMessageSet(d protoreflect.MessageDescriptor) bool {
	set, ok := d.(interface{ IsMessageSet() bool })
	return ok && set.IsMessageSet()
}

// items reads a message set. An unknown item becomes an ordinary field with its number, as in the stock runtime;
// records that are not items are left out, as there.
func (r *message) items(all []byte) (*rest, error) {
	found := &rest{}
	_, types := r.from.in()
	add := func(number protoreflect.FieldNumber, content []byte) error {
		x, err := types.FindExtensionByNumber(r.as.descriptor.FullName(), number)
		if err != nil {
			found.unknown = protowire.AppendTag(found.unknown, number, protowire.BytesType)
			found.unknown = protowire.AppendBytes(found.unknown, content)
			return nil
		}
		at := slices.IndexFunc(found.extensions, func(x extension) bool { return x.descriptor.Number() == number })
		if at < 0 {
			at = len(found.extensions)
			found.extensions = append(found.extensions, extension{x.TypeDescriptor(), x.New()})
		}
		m := found.extensions[at].value.Message().Interface()
		if err := (proto.UnmarshalOptions{Merge: true, AllowPartial: true, Resolver: types}).Unmarshal(content, m); err != nil {
			return fmt.Errorf("hotpb: an item of a %s: %w", r.as.descriptor.FullName(), err)
		}
		return nil
	}
	for len(all) > 0 {
		number, t, n := protowire.ConsumeField(all)
		_, _, tag := protowire.ConsumeTag(all)
		content := all[tag:n]
		all = all[n:]
		switch {
		case t == protowire.BytesType: // encoded like an ordinary field
			content, _ = protowire.ConsumeBytes(content)
		case t != protowire.StartGroupType || number != 1:
			continue
		default:
			var complete bool
			content, _ = protowire.ConsumeGroup(number, content)
			if number, content, complete = readItem(content); !complete {
				continue
			}
		}
		if err := add(number, content); err != nil {
			return nil, err
		}
	}
	found.sort()
	return found, nil
}

// readItem reads the contents of an item: of several numbers the last one counts, several messages merge.
func readItem(b []byte) (id protoreflect.FieldNumber, message []byte, complete bool) {
	hasMessage := false
	for len(b) > 0 {
		number, t, tag := protowire.ConsumeTag(b)
		n := tag + protowire.ConsumeFieldValue(number, t, b[tag:])
		switch {
		case number == 2 && t == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(b[tag:])
			id = 0
			if uint32(v) <= math.MaxInt32 {
				id = protoreflect.FieldNumber(uint32(v))
			}
		case number == 3 && t == protowire.BytesType:
			part, _ := protowire.ConsumeBytes(b[tag:])
			message, hasMessage = append(message, part...), true
		}
		b = b[n:]
	}
	return id, message, hasMessage && id != 0
}

// plain returns records in the stock runtime's form. It shortens over-long tags, and rewrites varints whose tenth
// byte is above 1, which hotpb accepts and the stock runtime rejects.
func plain(records []byte) []byte {
	var out []byte
	start := 0 // of the records that are not in out yet
	for i := 0; i < len(records); {
		tag, at := wire.ReadTag(records, i)
		next := wire.Skip(records, at, tag, anyDepth)
		if next < 0 {
			break // never: the records were checked when they arrived
		}
		n := protowire.ConsumeFieldValue(protowire.Number(tag.Number()), protowire.Type(tag.Type()), records[at:next])
		if n < 0 || at-i > protowire.SizeVarint(uint64(tag)) {
			out = append(out, records[start:i]...)
			if start = next; n < 0 {
				out, _ = rewrite(out, records[:next], i)
			} else {
				out = append(wire.AppendTag(out, tag.Number(), tag.Type()), records[at:next]...)
			}
		}
		i = next
	}
	if start == 0 {
		return records
	}
	return append(out, records[start:]...)
}

// anyDepth is for records whose depth was checked when they arrived.
const anyDepth = 1 << 15

// rewrite appends the records from i to the end of b, or to the end of the enclosing group.
func rewrite(dst, b []byte, i int) (_ []byte, next int) {
	for i < len(b) {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			break // never: the records were checked when they arrived
		}
		dst = wire.AppendTag(dst, tag.Number(), tag.Type())
		switch tag.Type() {
		case wire.VarintType:
			var v uint64
			v, i = wire.ReadVarint(b, at)
			dst = wire.AppendVarint(dst, v)
		case wire.BytesType:
			start, end := wire.ReadBytes(b, at)
			dst, i = wire.AppendBytes(dst, b[start:end]), end
		case wire.StartGroup:
			dst, i = rewrite(dst, b, at)
		case wire.EndGroup:
			return dst, at
		case wire.Fixed32Type:
			dst, i = append(dst, b[at:at+4]...), at+4
		default:
			dst, i = append(dst, b[at:at+8]...), at+8
		}
	}
	return dst, i
}
