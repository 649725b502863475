package plan

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// unmarshal reads descriptors as untrusted bytes: with the depth limit of the other generators, and without
// decoding custom options, so that no type linked into the generator can change the meaning of a schema.
var unmarshal = proto.UnmarshalOptions{
	AllowPartial:   true,
	RecursionLimit: 101,
	Resolver:       new(protoregistry.Types),
}

// FromDescriptorSet reads an encoded FileDescriptorSet and computes the plan of
// the files named, or of all files when none is named. Each of files is a value
// of --files=.
func FromDescriptorSet(input []byte, files []string) (*Plan, error) {
	var set descriptorpb.FileDescriptorSet
	if err := unmarshal.Unmarshal(input, &set); err != nil {
		return nil, unreadable("FileDescriptorSet")
	}
	inSet := map[string]bool{}
	var all, named []string
	for _, file := range set.File {
		inSet[file.GetName()] = true
		all = append(all, file.GetName())
	}
	if len(files) == 0 {
		return Build(set.File, all)
	}
	for _, value := range files {
		names, err := filesNamed(inSet, value)
		if err != nil {
			return nil, err
		}
		named = append(named, names...)
	}
	return Build(set.File, named)
}

// filesNamed returns the files that a value of --files= names: names of files
// in the set joined by +, which may be part of a name. Of several readings, the
// one with the longest names counts. A name that is not in the set ends at its
// first +.
func filesNamed(inSet map[string]bool, value string) (names []string, err error) {
	for rest := value; ; {
		end := len(rest)
		for end >= 0 && !inSet[rest[:end]] {
			end = strings.LastIndexByte(rest[:end], '+')
		}
		if end < 0 {
			end = len(rest)
			if plus := strings.IndexByte(rest, '+'); plus >= 0 {
				end = plus
			}
		}
		if end == 0 {
			return nil, fmt.Errorf("argument --files=%s: write names of files of the set joined by +, as in --files=a.proto+b.proto", value)
		}
		names = append(names, rest[:end])
		if end == len(rest) {
			return names, nil
		}
		rest = rest[end+1:]
	}
}

// Request is the request to a protoc plugin.
type Request struct {
	Parameter string

	message pluginpb.CodeGeneratorRequest
}

// ReadRequest reads an encoded CodeGeneratorRequest. Plan is a separate step, because errors of the options come
// before those of the schema.
func ReadRequest(input []byte) (*Request, error) {
	request := new(Request)
	if err := unmarshal.Unmarshal(input, &request.message); err != nil {
		return nil, unreadable("CodeGeneratorRequest")
	}
	request.Parameter = request.message.GetParameter()
	return request, nil
}

// Plan computes the plan of the files to generate.
func (r *Request) Plan() (*Plan, error) {
	return Build(r.message.ProtoFile, r.message.FileToGenerate)
}

// unreadable omits the words of protobuf-go, which are unstable on purpose.
func unreadable(kind string) error {
	return &Error{
		Problem: "the input is not a readable " + kind,
		Fix:     "pass a file that protoc wrote",
	}
}
