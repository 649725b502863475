package migrate

import (
	"math/rand"
	"os"
	"path/filepath"
	"testing"
)

// COD-126: whatever is left of a file, it is read or reported.
func TestDamagedFilesAreNoCrash(t *testing.T) {
	seeds := [][]byte{[]byte(`syntax = "proto2"; message A { option (gogoproto.typedecl); optional google.protobuf.Any a = 1 [(gogoproto.nullable)];
		map<string, google.protobuf.Any> b = 2 [(gogoproto.nullable) = false, (gogoproto.stdtime) = ]; repeated = 3 [(gogoproto.nullable) = false]; }`)}
	for _, name := range []string{"gogo/stock/stock.proto", "gogo/buf.gen.yaml", "vtproto/buf.gen.yaml", "csproto/buf.gen.yaml", "vtproto/Makefile"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, b)
	}
	r := rand.New(rand.NewSource(1))
	path := filepath.Join(t.TempDir(), "file")
	for i := range 1000 {
		b := append([]byte(nil), seeds[i%len(seeds)]...)
		for range r.Intn(4) {
			at := r.Intn(len(b))
			if r.Intn(3) == 0 {
				b = append(b[:at:at], b[min(len(b), at+r.Intn(12)):]...)
				b = append(b, '\n')
			} else {
				b[at] = "(){}[]=;.\"<>,-:&* \n"[r.Intn(19)]
			}
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, tool := range []*tool{gogo, gogoValue, vtproto, csproto} {
			for name, read := range map[string]func(name, path string) ([]finding, error){"proto": tool.inProto, "template": tool.inBuf, "script": tool.inText} {
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Errorf("%s as %s: %v\n%s", tool.name, name, p, b)
						}
					}()
					_, _ = read("file", path) // an error is as good as findings
				}()
			}
		}
	}
}
