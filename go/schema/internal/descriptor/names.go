package descriptor

import "strings"

// EntryName returns the name that protoc uses for the entry type of a map field.
func EntryName(field string) string { return camel(field, true) + "Entry" }

// JSONName returns the name that protoc uses for a field in JSON.
func JSONName(field string) string { return camel(field, false) }

// WithoutPrefix returns an enum value's name in camel case, without the enum's name in front.
func WithoutPrefix(value, enum string) string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	prefix := plain(enum)
	whole := camel(strings.ToLower(value), true)
	rest := value
	for i := 0; i < len(value) && prefix != ""; i++ {
		c := plain(value[i : i+1])
		if c == "" {
			continue
		}
		if c[0] != prefix[0] {
			return whole
		}
		prefix, rest = prefix[1:], value[i+1:]
	}
	if rest = strings.TrimLeft(rest, "_"); prefix != "" || rest == "" {
		return whole
	}
	return camel(strings.ToLower(rest), true)
}

// camel returns a name without underscores. The letter after each becomes a capital, the first one if up.
func camel(name string, up bool) string {
	var b []byte
	for _, c := range []byte(name) {
		if c == '_' {
			up = true
			continue
		}
		if up && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b, up = append(b, c), false
	}
	return string(b)
}
