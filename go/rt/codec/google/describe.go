package google

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/codec"
)

// Describe is the function Describe of a [codec.Guard] for structs of this runtime.
func Describe(message any) codec.Description {
	d := message.(proto.Message).ProtoReflect().Descriptor()
	return codec.Description{Name: string(d.FullName()), Lines: DescriptorLines(d)}
}

// DescriptorLines are the lines of a message's [codec.Description]:
//
//	3 repeated int32 packed
//	4 optional string utf8 presence oneof 0 name
//	5 repeated map uint32 enum first 1
//	extensions 100 200
//	message_set
//
// The fields are in the order of the .proto. The struct has the fields' names in that order; only members of oneofs
// are not in it.
func DescriptorLines(d protoreflect.MessageDescriptor) (lines []string) {
	for i, fields := 0, d.Fields(); i < fields.Len(); i++ {
		lines = append(lines, fieldLine(fields.Get(i)))
	}
	for i, ranges := 0, d.ExtensionRanges(); i < ranges.Len(); i++ {
		r := ranges.Get(i)
		lines = append(lines, "extensions "+strconv.Itoa(int(r[0]))+" "+strconv.Itoa(int(r[1])))
	}
	if set, is := d.(interface{ IsMessageSet() bool }); is && set.IsMessageSet() {
		lines = append(lines, "message_set")
	}
	return lines
}

func fieldLine(fd protoreflect.FieldDescriptor) string {
	words := []string{strconv.Itoa(int(fd.Number())), fd.Cardinality().String()}
	if fd.IsMap() {
		words = append(append(words, "map"), kindWords(fd.MapKey())...)
		words = append(words, kindWords(fd.MapValue())...)
		if enum := fd.MapValue().Enum(); enum != nil {
			words = append(words, "first", strconv.Itoa(int(enum.Values().Get(0).Number())))
		}
		return strings.Join(words, " ")
	}
	words = append(words, kindWords(fd)...)
	if fd.IsPacked() {
		words = append(words, "packed")
	}
	if fd.HasPresence() {
		words = append(words, "presence")
	}
	if lazy, is := fd.(interface{ IsLazy() bool }); is && lazy.IsLazy() {
		words = append(words, "lazy")
	}
	if oneof := fd.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		words = append(words, "oneof", strconv.Itoa(oneof.Index()), string(fd.Name()))
	}
	return strings.Join(words, " ")
}

// kindWords returns the kind of an element, and whether its text is checked.
func kindWords(fd protoreflect.FieldDescriptor) []string {
	words := []string{fd.Kind().String()}
	if check, is := fd.(interface{ EnforceUTF8() bool }); is && fd.Kind() == protoreflect.StringKind && check.EnforceUTF8() {
		words = append(words, "utf8")
	}
	return words
}
