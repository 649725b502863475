package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// question is a statement and the form of its answer.
type question struct {
	title   string
	columns []string // in order; numbers are right-aligned
	sql     string
}

// address shows IPv4 as such.
const address = "replaceOne(toString(%s), '::ffff:', '')"

// octets are the bytes on the wire: the counted bytes, times the number of packets that one sampled packet stands
// for. Flows whose sampling rate is unknown have no such bytes; unknown counts them.
const (
	octets  = "sumIf(bytes * sampling_rate, sampling_known) AS bytes"
	unknown = "countIf(NOT sampling_known) AS unknown"
)

// The first question is for the comparison with goflow2, whose bytes of sFlow are those of frames.
var questions = []question{
	{sql: "SELECT " + fmt.Sprintf(address, "exporter_address") + " AS exporter, any(flow_type) AS protocol, " +
		"any(sampling_rate) AS rate, count() AS flows, sum(if(frame_bytes > 0, frame_bytes, bytes)) AS bytes, sum(packets) AS packets " +
		"FROM flows GROUP BY exporter_address ORDER BY exporter_address"},
	{
		"Top talkers", []string{"source", "network", "country", "flows", "bytes", "unknown"},
		"SELECT " + fmt.Sprintf(address, "src_addr") + " AS source, any(src_name) AS network, " +
			"any(src_country) AS country, count() AS flows, " + octets + ", " + unknown + " " +
			"FROM flows GROUP BY src_addr ORDER BY bytes DESC, source LIMIT 10",
	},
	{
		"Traffic by AS", []string{"AS", "networks", "flows", "bytes", "unknown"},
		"SELECT src_as AS AS, arrayStringConcat(arraySort(groupUniqArray(src_name)), ', ') AS networks, " +
			"count() AS flows, " + octets + ", " + unknown + " " +
			"FROM flows WHERE src_as != 0 GROUP BY src_as ORDER BY bytes DESC, AS LIMIT 8",
	},
	{
		"Traffic between countries", []string{"from", "to", "flows", "bytes", "unknown"},
		"SELECT src_country AS `from`, dst_country AS `to`, count() AS flows, " + octets + ", " + unknown + " " +
			"FROM flows WHERE src_country != '' AND dst_country != '' GROUP BY src_country, dst_country " +
			"ORDER BY bytes DESC, `from`, `to` LIMIT 8",
	},
	{
		"Traffic by interface", []string{"exporter", "interface", "flows", "bytes", "unknown"},
		"SELECT " + fmt.Sprintf(address, "exporter_address") + " AS exporter, in_if_name AS interface, " +
			"count() AS flows, " + octets + ", " + unknown + " FROM flows WHERE in_if_name != '' " +
			"GROUP BY exporter_address, in_if_name ORDER BY bytes DESC, exporter, interface LIMIT 5",
	},
}

func (q *question) print(w io.Writer, rows []map[string]any) {
	cells := [][]string{q.columns}
	for _, row := range rows {
		var line []string
		for _, c := range q.columns {
			text := fmt.Sprint(row[c])
			if n, err := strconv.ParseUint(text, 10, 64); err == nil && c != "AS" {
				text = thousands(n)
			}
			line = append(line, text)
		}
		cells = append(cells, line)
	}
	fmt.Fprintf(w, "\n%s\n", q.title)
	table(w, cells)
}

// printAccounts shows what went in and what came out, by exporter.
func printAccounts(w io.Writer, in, out account, rows []map[string]any) {
	about := map[string]map[string]any{}
	for _, row := range rows {
		about[fmt.Sprint(row["exporter"])] = row
	}
	cells := [][]string{{"exporter", "protocol", "rate", "flows in", "out", "bytes in", "out", "packets in", "out", ""}}
	for _, exporter := range exporters(in, out) {
		a, b, row := in[exporter], out[exporter], about[exporter.String()]
		verdict := "equal"
		if a != b {
			verdict = "DIFFERENT"
		}
		cells = append(cells, []string{
			exporter.String(), fmt.Sprint(row["protocol"]), fmt.Sprint(row["rate"]), thousands(a.Flows), thousands(b.Flows),
			thousands(a.Bytes), thousands(b.Bytes), thousands(a.Packets), thousands(b.Packets), verdict,
		})
	}
	fmt.Fprintln(w, "\nInput, as goflow2 reads it or as the generator counts it, and output of ClickHouse")
	table(w, cells)
}

// table aligns cells; columns of numbers are right-aligned.
func table(w io.Writer, cells [][]string) {
	widths, text := make([]int, len(cells[0])), make([]bool, len(cells[0]))
	for i, line := range cells {
		for j, c := range line {
			widths[j] = max(widths[j], len(c))
			text[j] = text[j] || i > 0 && strings.Trim(c, "0123456789,") != ""
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range cells {
		for j, c := range line {
			if !text[j] {
				c = strings.Repeat(" ", widths[j]-len(c)) + c
			}
			fmt.Fprint(t, "  ", c, "\t")
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
}

// thousands formats a number with commas.
func thousands(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
