package yaml

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// near returns the word that a misspelt one probably means: the first with the fewest edits, at most two and fewer than half of
// its letters. It is "" if there is none.
func near(word string, words []string) (best string) {
	least := min(2, (len(word)-1)/2)
	for _, w := range words {
		if n := edits(strings.ToLower(word), strings.ToLower(w)); n <= least {
			best, least = w, n-1
		}
	}
	return best
}

// edits is the number of letters to insert, remove or replace (Levenshtein's distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := corner
			if a[i] != b[j] {
				replace++
			}
			corner = row[j+1]
			row[j+1] = min(replace, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// otherNames are names that other systems have for our types.
var otherNames = map[string]string{
	"int": "int64", "integer": "int64", "uint": "uint64", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32",
	"float32": "float", "float64": "double", "boolean": "bool", "text": "string", "str": "string", "blob": "bytes", "ipv4": "ip",
	"ipv6": "ip", "address": "ip", "datetime": "timestamp(millis)", "date": "timestamp(seconds)", "time": "timestamp(millis)",
}

// instead returns the advice for a type that does not exist, for the end of an error.
func (r *reader) instead(text string) string {
	const units = "with its unit: seconds, millis, micros, nanos or wellknown"
	if text == "timestamp" || text == "duration" {
		return ": write " + text + "(millis), " + units
	}
	if suggestion := otherNames[strings.ToLower(text)]; suggestion != "" {
		return ": write " + suggestion
	}
	words := slices.Concat([]string{"ip", "mac", "timestamp(millis)", "duration(millis)"},
		slices.Sorted(maps.Keys(scalars)), slices.Sorted(maps.Keys(r.enums)), slices.Sorted(maps.Keys(r.messages)))
	if word := near(text, words); word != "" {
		return "; did you mean " + word + "?"
	}
	if base, _, _ := strings.Cut(text, "("); base != text {
		if word := near(base, []string{"timestamp", "duration"}); word != "" {
			return "; did you mean " + word + "(millis)?"
		}
	}
	return ": types are the scalars of protobuf, ip, mac, timestamp(UNIT), duration(UNIT), map<KEY, VALUE>, repeated TYPE, and the file's messages and enums"
}

// The types of ClickHouse: those whose case matters, and those and their aliases whose case does not.
var (
	clickHouseTypes = strings.Fields(`AggregateFunction Array BFloat16 Bool Date Date32 DateTime DateTime32 DateTime64 Decimal Decimal32 Decimal64
		Decimal128 Decimal256 Dynamic Enum Enum8 Enum16 FixedString Float32 Float64 Geometry IPv4 IPv6 Int8 Int16 Int32 Int64 Int128 Int256
		IntervalDay IntervalHour IntervalMicrosecond IntervalMillisecond IntervalMinute IntervalMonth IntervalNanosecond IntervalQuarter
		IntervalSecond IntervalWeek IntervalYear JSON LineString LowCardinality Map MultiLineString MultiPoint MultiPolygon Nested Nothing
		Nullable Object Point Polygon QBit Ring SimpleAggregateFunction String Time Time64 Tuple UInt8 UInt16 UInt32 UInt64 UInt128 UInt256
		UUID Variant`)
	clickHouseAnyCase = strings.Fields(`BOOL DATE DATE32 DATETIME DATETIME32 DATETIME64 DECIMAL DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256
		ENUM JSON TIME TIME64 BIGINT BINARY BIT BLOB BOOLEAN BYTE BYTEA CHAR CHARACTER CLOB DEC DOUBLE FIXED FLOAT INET4 INET6 INT INT1
		INTEGER LONGBLOB LONGTEXT MEDIUMBLOB MEDIUMINT MEDIUMTEXT NATIONAL NCHAR NUMERIC NVARCHAR REAL SET SIGNED SINGLE SMALLINT TEXT
		TIMESTAMP TINYBLOB TINYINT TINYTEXT UNSIGNED VARBINARY VARCHAR VARCHAR2 YEAR`)
)

// clickHouse reads a type of ClickHouse.
func (r *reader) clickHouse(n ast.Node) string {
	text := r.text(n, "a type of ClickHouse")
	if wrong := wrongClickHouse(text); wrong != "" {
		r.fail(n, "clickhouse: %s: %s", text, wrong)
	}
	return text
}

// wrongClickHouse returns the fault of a type of ClickHouse, if it is certain: a word that is nearly the name
// of a type, and brackets that do not match. ClickHouse itself reports the rest.
func wrongClickHouse(text string) string {
	if !strings.ContainsAny(text, "'\"`") && strings.Count(text, "(") != strings.Count(text, ")") {
		return "its brackets do not match"
	}
	for {
		text = strings.TrimSpace(text)
		end := strings.IndexAny(text, "( ,)")
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		if slices.Contains(clickHouseTypes, word) || slices.Contains(clickHouseAnyCase, strings.ToUpper(word)) {
			inner, opens := strings.CutPrefix(text[end:], "(")
			if !opens || !slices.Contains([]string{"Array", "LowCardinality", "Map", "Nullable"}, word) {
				return ""
			}
			text = inner
			continue
		}
		if known := near(word, clickHouseTypes); known != "" {
			return "ClickHouse has no type " + word + "; did you mean " + known + "?"
		}
		return ""
	}
}
