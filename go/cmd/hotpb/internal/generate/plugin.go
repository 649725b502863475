package generate

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/internal/gen"
)

// language says how code of a language is generated.
type language struct {
	plugin  string // "" when this command has the generator
	install string
}

var languages = map[string]language{
	"go":   {},
	"rust": {"protoc-gen-hotpb-rs", "cargo install --path rust/protoc-gen-hotpb-rs in a clone of the repository" + orArchive},
	"cpp":  {"protoc-gen-hotpb-cpp", "cmake -S cpp -B build/release && cmake --build build/release && cmake --install build/release --prefix ~/.local in a clone of the repository, and put ~/.local/bin on the PATH" + orArchive},
}

// orArchive is the other way to a generator. (tools/release makes the archive.)
const orArchive = "; or take it from hotpb-VERSION-linux-amd64.tar.gz, or -arm64, of a release"

// ask hands a request to the generator of a language. warnings are lines for the user.
func ask(name string, request *pluginpb.CodeGeneratorRequest) (files []*pluginpb.CodeGeneratorResponse_File, warnings string, err error) {
	input, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(request)
	if err != nil {
		return nil, "", err
	}
	var out, stderr bytes.Buffer
	l := languages[name]
	subject := "the generator of " + name
	if l.plugin == "" {
		if gen.Main(nil, bytes.NewReader(input), &out, &stderr) != 0 {
			return nil, "", errors.New(strings.TrimSpace(stderr.String()))
		}
	} else {
		path, err := exec.LookPath(l.plugin)
		if err != nil {
			return nil, "", fault.In(l.plugin, "it is not on the PATH, and generates the code of "+name, "install it: "+l.install)
		}
		subject = path
		command := exec.Command(path)
		command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &stderr
		if err := command.Run(); err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
			return nil, "", fault.In(path, err.Error()+": "+first, "install it again: "+l.install)
		}
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(out.Bytes(), response); err != nil {
		return nil, "", fault.In(subject, "its answer is no CodeGeneratorResponse", "install it again: "+l.install)
	}
	if response.Error != nil {
		return nil, "", errors.New(response.GetError())
	}
	return response.File, stderr.String(), nil
}
