package clickhouse

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Column is a column of the target table. Codec is "" or "CODEC(…)".
type Column struct{ Name, Type, Codec, Comment string }

// String declares the column, as CREATE TABLE and ADD COLUMN do.
func (c Column) String() string {
	s := identifier(c.Name) + " " + c.Type
	if c.Comment != "" {
		s += " COMMENT " + literal(c.Comment)
	}
	if c.Codec != "" {
		s += " " + c.Codec
	}
	return s
}

var (
	codecAtEnd = regexp.MustCompile(`(?s)^(.*\S)\s+(CODEC\s*\(.*\))\s*$`)
	integer    = regexp.MustCompile(`^(?:LowCardinality\()?(Nullable\()?(U?Int(?:8|16|32|64))\)*$`)
)

// chosen applies the type that the schema has chosen for the target. ClickHouse cuts integers that do not fit a
// narrower type: 70000 would become port 4464. They become zero, as values do that do not fit their column.
func (t *declared) chosen(c *schema.Column) {
	t.target = c.ClickHouse
	if m := codecAtEnd.FindStringSubmatch(c.ClickHouse); m != nil {
		t.target, t.codec = m[1], m[2]
	}
	m := integer.FindStringSubmatch(t.target)
	isInteger := c.Message == nil && c.Enum == nil && strings.Contains(kinds[c.Kind], "Int") && c.Kind != wire.Bool
	if m == nil || t.convert != nil || c.Repeated || !isInteger || m[2] == kinds[c.Kind] {
		return
	}
	function := "accurateCastOrDefault"
	if m[1] != "" {
		function = "accurateCastOrNull"
	}
	t.convert = func(x string) string { return fmt.Sprintf("%s(%s, '%s')", function, x, m[2]) }
}
