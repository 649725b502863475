package plan

import (
	"encoding/binary"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// path is a place in a FileDescriptorProto, as SourceCodeInfo numbers it:
// field number, index, field number, index.
type path []int32

func (p path) at(steps ...int32) path {
	return append(p[:len(p):len(p)], steps...)
}

func (p path) key() string {
	key := make([]byte, 0, 4*len(p))
	for _, step := range p {
		key = binary.LittleEndian.AppendUint32(key, uint32(step))
	}
	return string(key)
}

// Field numbers of descriptor.proto that paths consist of.
const (
	fileMessages      = 4
	fileEnums         = 5
	fileExtensions    = 7
	fileSyntax        = 12
	fileEdition       = 14
	messageFields     = 2
	messageNested     = 3
	messageEnums      = 4
	messageRanges     = 5
	messageExtensions = 6
	messageOneofs     = 8
	enumValues        = 2
)

// source is the SourceCodeInfo of one file.
type source map[string]*descriptorpb.SourceCodeInfo_Location

func newSource(file *descriptorpb.FileDescriptorProto) source {
	locations := file.GetSourceCodeInfo().GetLocation()
	s := make(source, len(locations))
	for _, location := range locations {
		key := path(location.GetPath()).key()
		if s[key] == nil { // the first is the element itself
			s[key] = location
		}
	}
	return s
}

func (s source) line(p path) int {
	if span := s[p.key()].GetSpan(); len(span) > 0 && span[0] >= 0 {
		return int(span[0]) + 1
	}
	return 0
}

// comment returns the leading comment of an element, or its trailing comment if there is no other.
func (s source) comment(p path) string {
	location := s[p.key()]
	text := location.GetLeadingComments()
	if strings.TrimSpace(text) == "" {
		text = location.GetTrailingComments()
	}
	return strings.TrimRight(text, " \t\r\n")
}
