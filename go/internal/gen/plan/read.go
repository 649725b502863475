package plan

import (
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
// the files named, or of all files when none is named.
func FromDescriptorSet(input []byte, files []string) (*Plan, error) {
	var set descriptorpb.FileDescriptorSet
	if err := unmarshal.Unmarshal(input, &set); err != nil {
		return nil, unreadable("FileDescriptorSet")
	}
	if len(files) == 0 {
		for _, file := range set.File {
			files = append(files, file.GetName())
		}
	}
	return Build(set.File, files)
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
func unreadable(what string) error {
	return &Error{
		Problem: "the input is not a readable " + what,
		Fix:     "pass a file that protoc wrote",
	}
}
