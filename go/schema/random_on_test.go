//go:build random

package schema_test

const randomSchemas = 60
