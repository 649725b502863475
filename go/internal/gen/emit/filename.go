package emit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Platforms are the words at the end of a file's name that make Go build the file only for that system or
// processor.
var Platforms = strings.Fields(`
	aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le
	ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)

// Buildable changes the base name of a .proto so that Go builds the generated file everywhere: model_android.proto
// becomes model_android_.hot.go, which is not only for Android, and _private.proto becomes a file that Go does not
// ignore.
func Buildable(base string) string {
	if isIgnored(base) {
		base = "x" + base
	}
	if platformOf(base) == "" {
		return base
	}
	stem, rest, dotted := strings.Cut(base, ".")
	if dotted {
		rest = "." + rest
	}
	return stem + "_" + rest
}

// isIgnored reports whether Go ignores files whose names begin so.
func isIgnored(base string) bool { return base == "" || base[0] == '_' || base[0] == '.' }

// platformOf is the platform for which alone Go builds a file whose name begins so, or "".
func platformOf(base string) string {
	stem, _, _ := strings.Cut(base, ".") // Go looks at the part before the first dot
	parts := strings.Split(strings.TrimSuffix(stem, "_test"), "_")
	if last := parts[len(parts)-1]; len(parts) > 1 && slices.Contains(Platforms, last) {
		return last
	}
	return ""
}

// StockFileFault says why Go leaves out the file with the stock structs of a .proto, whose own generator takes no such care of
// names; "" if Go does not.
func StockFileFault(file *plan.File) string {
	base := strings.TrimSuffix(path.Base(file.Name), ".proto")
	fault := "only for " + platformOf(base) + ", because of the end of its name"
	if isIgnored(base) {
		fault = "never, because of the first character of its name"
	} else if platformOf(base) == "" {
		return ""
	}
	return fmt.Sprintf("Go compiles the file of its stock structs, %s.pb.go, %s, and the fast methods need these structs; rename the .proto, for example to %s.proto",
		base, fault, path.Join(path.Dir(file.Name), Buildable(base)))
}
