//go:build !random

package schema_test

// randomSchemas is how many schemas of each syntax are made up: with the tag random (go/check-all.sh) many.
const randomSchemas = 2
