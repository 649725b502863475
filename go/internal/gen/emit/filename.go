package emit

import (
	"slices"
	"strings"
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
	if base == "" || base[0] == '_' || base[0] == '.' {
		base = "x" + base
	}
	// Go looks at the part before the first dot.
	stem, rest, _ := strings.Cut(base, ".")
	parts := strings.Split(strings.TrimSuffix(stem, "_test"), "_")
	if len(parts) > 1 && slices.Contains(Platforms, parts[len(parts)-1]) {
		stem += "_"
	}
	if rest != "" {
		rest = "." + rest
	}
	return stem + rest
}
