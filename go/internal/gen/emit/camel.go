package emit

import (
	"go/token"
)

// GoCamelCase turns a protobuf name into an exported Go name, by the rule of all Go generators: an underscore
// before a lower-case letter is dropped and the letter becomes a capital; a dot becomes an underscore or is
// dropped likewise; a leading underscore becomes an X.
func GoCamelCase(name string) string {
	var out []byte
	for i := 0; i < len(name); i++ {
		c := name[i]
		beforeLower := i+1 < len(name) && isLower(name[i+1])
		switch {
		case c == '.' && beforeLower:
		case c == '.':
			out = append(out, '_')
		case c == '_' && (i == 0 || name[i-1] == '.'):
			out = append(out, 'X')
		case c == '_' && beforeLower:
		case '0' <= c && c <= '9':
			out = append(out, c)
		default:
			if isLower(c) {
				c -= 'a' - 'A'
			}
			out = append(out, c)
			for ; i+1 < len(name) && isLower(name[i+1]); i++ {
				out = append(out, name[i+1])
			}
		}
	}
	return string(out)
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// cleanPackageName turns any string into a Go package name.
func cleanPackageName(name string) string {
	out := []byte(name)
	for i, c := range out {
		if !isLower(c|0x20) && c != '_' && (c < '0' || c > '9') {
			out[i] = '_'
		}
	}
	if len(out) == 0 || '0' <= out[0] && out[0] <= '9' || token.IsKeyword(string(out)) {
		out = append([]byte{'_'}, out...)
	}
	return string(out)
}
