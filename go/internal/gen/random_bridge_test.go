//go:build random

package gen

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Random schemas, and random messages of them: what views and pools show through the reflection bridge, against the
// stock structs.
func TestBridgeOfRandomSchemasShowsWhatTheStockRuntimeReads(t *testing.T) {
	stock := buildStock(t)
	for n, c := range []struct{ syntax, level string }{{"proto3", "API_OPEN"}, {"proto2", "API_OPEN"}, {"editions", "API_OPAQUE"}} {
		t.Run(c.syntax, func(t *testing.T) {
			s := schema{rand.New(rand.NewPCG(uint64(n)+randomSeed(t), 3)), c.syntax}
			file := s.file(20)
			s.enrich(file)
			folder, parameter := randomPackage(t, file)
			hot := hotOutputs(t, file, parameter+",faces=view+pool+reflect")
			outputs := append(stockOutputs(t, stock, file, parameter+",default_api_level="+c.level), hot...)
			test := bridgeTest(t, file, hot)
			testRandom(t, folder, append(outputs, emit.Output{Name: "random_test.go", Content: []byte(test)}), "")
		})
	}
}

// bridgeTest is a test of all messages of a file, for which the outputs have faces.
func bridgeTest(t *testing.T, file *descriptorpb.FileDescriptorProto, outputs []emit.Output) string {
	t.Helper()
	var imports string
	module, _, _ := strings.Cut(file.Options.GetGoPackage(), ";")
	for _, output := range outputs {
		if strings.HasSuffix(output.Name, "_reflect.hot.go") {
			folder := path.Join(module, path.Dir(output.Name))
			imports = fmt.Sprintf("hot %q\n\tbridge %q", path.Dir(folder), folder)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `package random

import (
	"testing"

	%s
	"github.com/hotpb/hotpb/go/test/bridgetest"
)

func TestBridge(t *testing.T) {
`, imports)
	for _, m := range file.MessageType {
		fmt.Fprintf(&b, `	bridgetest.Random(t, "r.%[1]s", bridgetest.Of(
		bridge.%[1]s, func() *hot.%[1]s { return new(hot.%[1]s) },
		bridge.%[1]sView, func() *hot.%[1]sView { return new(hot.%[1]sView) }), 40)
`, m.GetName())
	}
	return b.String() + "}\n"
}
