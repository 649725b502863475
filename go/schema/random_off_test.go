//go:build !random

package schema_test

// randomSchemas is the number of generated schemas of each syntax: with the tag random (go/check-all.sh) many.
const randomSchemas = 2
