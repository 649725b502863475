package codecv1

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/rt/codec"
)

// Describe is the Describe of a [codec.Guard] for structs of these runtimes, which know fields by their struct tags.
func Describe(r Runtime, message any) codec.Description {
	t := reflect.TypeOf(message).Elem()
	lines := map[int]string{}
	for field := range fieldsOf(r, t) {
		line, number := tagLine(field.Tag.Get("protobuf"))
		for _, key := range []string{"protobuf_key", "protobuf_val"} {
			if entry := field.Tag.Get(key); entry != "" {
				part, _ := tagLine(entry)
				line += " " + part
			}
		}
		lines[number] = field.Name + " " + line
	}
	var numbers []int
	for number := range lines {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	d := codec.Description{Name: t.String()}
	if named, is := message.(interface{ XXX_MessageName() string }); is && !embeds(t) {
		d.Name = named.XXX_MessageName()
	}
	for _, number := range numbers {
		d.Lines = append(d.Lines, lines[number])
	}
	extensions, is := fieldOf(t, "XXX_InternalExtensions")
	if !is && embeds(t) {
		return d
	}
	for _, bounds := range r.Ranges(message) {
		d.Lines = append(d.Lines, "extensions "+strconv.Itoa(int(bounds[0]))+" "+strconv.Itoa(int(bounds[1])+1))
	}
	if extensions.Tag.Get("protobuf_messageset") != "" {
		d.Lines = append(d.Lines, "message_set")
	}
	return d
}

// fieldOf returns a field of a struct itself, not one of an embedded message, whose methods the struct has, too.
func fieldOf(t reflect.Type, name string) (field reflect.StructField, is bool) {
	for i := range t.NumField() {
		if t.Field(i).Name == name {
			return t.Field(i), true
		}
	}
	return field, false
}

// embeds reports whether a struct has an embedded message, whose methods the struct has, too.
func embeds(t reflect.Type) bool {
	for i := range t.NumField() {
		if field := t.Field(i); field.Anonymous && field.Tag.Get("protobuf") != "" {
			return true
		}
	}
	return false
}

// fieldsOf are the struct fields that hold fields of the message, members of oneofs among them.
func fieldsOf(r Runtime, t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if field := t.Field(i); field.Tag.Get("protobuf") != "" && !yield(field) {
				return
			}
		}
		for _, member := range r.Members(t) {
			if !yield(member.Elem().Field(0)) {
				return
			}
		}
	}
}

// tagLine keeps the parts that fast code depends on of a tag like varint,3,rep,packed,name=list,proto3: the first three, and these
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
