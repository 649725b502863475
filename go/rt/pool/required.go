package pool

import "strconv"

// Within prepends the name of a field to the path of a required field that is absent in its message; index is
// negative for a singular field.
func Within(name string, index int, path string) string {
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	return name + "." + path
}
