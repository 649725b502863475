package fast

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
)

// Describe is the Describe of a [codec.Guard] for structs of this runtime, which knows fields by their struct tags.
func Describe(message any) codec.Description {
	t := reflect.TypeOf(message).Elem()
	lines := map[int]string{}
	add := func(field reflect.StructField) {
		tag := field.Tag.Get("protobuf")
		if tag == "" {
			return
		}
		line, number := tagLine(tag)
		for _, of := range []string{"protobuf_key", "protobuf_val"} {
			if entry := field.Tag.Get(of); entry != "" {
				part, _ := tagLine(entry)
				line += " " + part
			}
		}
		lines[number] = field.Name + " " + line
	}
	for i := range t.NumField() {
		add(t.Field(i))
	}
	for _, member := range proto.GetProperties(t).OneofTypes {
		add(member.Type.Elem().Field(0))
	}
	var numbers []int
	for number := range lines {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	d := codec.Description{Name: t.String()}
	if named, is := message.(interface{ XXX_MessageName() string }); is {
		d.Name = named.XXX_MessageName()
	}
	for _, number := range numbers {
		d.Lines = append(d.Lines, lines[number])
	}
	if extensible, is := message.(interface{ ExtensionRangeArray() []proto.ExtensionRange }); is {
		for _, r := range extensible.ExtensionRangeArray() { // which includes End
			d.Lines = append(d.Lines, "extensions "+strconv.Itoa(int(r.Start))+" "+strconv.Itoa(int(r.End)+1))
		}
	}
	if extensions, is := t.FieldByName("XXX_InternalExtensions"); is && extensions.Tag.Get("protobuf_messageset") != "" {
		d.Lines = append(d.Lines, "message_set")
	}
	return d
}

// tagLine keeps what fast code depends on of a tag like varint,3,rep,packed,name=list,proto3: the first three, and these
// of the others.
func tagLine(tag string) (line string, number int) {
	words := strings.Split(tag, ",")
	line = strings.Join(words[:min(3, len(words))], ",")
	if len(words) > 1 {
		number, _ = strconv.Atoi(words[1])
	}
	for _, wanted := range []string{"packed", "proto3", "oneof"} {
		for _, word := range words {
			if strings.HasPrefix(word, "def=") {
				break // the default is last, and may have commas
			}
			if word == wanted {
				line += "," + wanted
			}
		}
	}
	return line, number
}
