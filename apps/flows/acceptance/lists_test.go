//go:build acceptance && linux

package acceptance

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// raw is what hex says; framed is the same after its type and its length, which counts the bytes before the content too.
func raw(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	must(t, err)
	return b
}

func framed16(kind, before int, content []byte) []byte {
	return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(kind)), uint16(before+len(content))), content...)
}

func framed32(kind int, content []byte) []byte {
	return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(kind)), uint32(len(content))), content...)
}

// Lists from packets of sFlow and IPFIX are arrays in ClickHouse, with the statements that the program prints.
func TestListsAreArraysInClickHouse(t *testing.T) {
	// A sample of sFlow: a header with tags and labels; of BGP a path of a sequence and a set, two communities.
	header := framed32(1, raw(t, "00000001 000003e8 00000004 00000020  0200000000aa 0200000000bb 88a8 0064 8100 00c8 8847 00011040 00012140 0000"))
	gateway := framed32(1003, raw(t, `00000001 01020304 0000fbf4 0000fbf5 0000fbf6
		00000002 00000002 00000002 0000fbf7 fa56ea00 00000001 00000001 0000fbf9  00000002 fde80001 ffffff01  00000064`))
	sample := framed32(1, bytes.Join([][]byte{raw(t, "00000001 00000002 000003e8 00000bb8 00000000 00000007 00000009 00000002"), header, gateway}, nil))
	sflow := append(raw(t, "00000005 00000001 c0000201 00000000 00000001 00000001 00000001"), sample...)

	// A record of IPFIX: octets, packets, addresses, the communities of both sides and a large one, three entries of a stack, two tags.
	template := framed16(2, 4, raw(t, "0100 000c 0001 0004 0002 0004 0008 0004 000c 0004 01e5 ffff 01e4 ffff 0046 0003 0047 0003 0048 0003 00f3 0002 00f5 0002 01eb ffff"))
	data := framed16(256, 4, raw(t, "00000005 00000001 0a000001 0a000002  0d ff 01e3 0004 fde80002 fde80003  09 04 01e3 0004 fde80004  000110 000201 000000  0064 00c8 11 ff 01e9 000c 0000fbf0 00000001 00000002"))
	sets := append(template, data...)
	ipfix := framed16(10, 16, append(raw(t, "6b49d200 00000000 00000000"), sets...))

	folder := t.TempDir()
	schema, capture, out := filepath.Join(folder, "flows.yaml"), filepath.Join(folder, "lists.dgrams"), filepath.Join(folder, "out")
	text, err := os.ReadFile("../flows.yaml")
	must(t, err)
	const more = "columns:\n  - {name: large, number: 100, type: repeated bytes, from: 491, clickhouse: Array(FixedString(12))}\n"
	text = bytes.Replace(text, []byte("columns:\n"), []byte(more), 1)
	must(t, os.WriteFile(schema, bytes.ReplaceAll(text, []byte("group: lists, off: true"), []byte("group: lists")), 0o644))
	var captured []byte
	for _, b := range [][]byte{sflow, ipfix} {
		captured = append(binary.BigEndian.AppendUint32(captured, uint32(len(b))), b...)
	}
	must(t, os.WriteFile(capture, captured, 0o644))
	must(t, os.Mkdir(out, 0o755))
	if said, err := exec.Command(program, "replay", capture, "--schema="+schema, "--output=file", "--file-folder="+out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.pb"))
	must(t, err)
	topic := &held{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		must(t, err)
		topic.bytes = append(topic.bytes, b...)
	}

	answers := query(t, []readBy{{schema, topic}},
		"SELECT as_path, as_sets, communities, src_communities, mpls_labels, vlans FROM flows ORDER BY flow_type DESC",
		"SELECT toTypeName(as_path) AS type, sum(length(as_path)) AS hops, sum(has(communities, 4259840002)) AS tagged, "+
			"sum(has(large, unhex('0000fbf00000000100000002'))) AS large FROM flows GROUP BY type"+asNumbers)
	equal(t, "lists", answers[0], `{"as_path":[64503,4200000000],"as_sets":[64505],"communities":[4259840001,4294967041],"src_communities":[],"mpls_labels":[17,18],"vlans":[100,200]}`+"\n"+
		`{"as_path":[],"as_sets":[],"communities":[4259840002,4259840003],"src_communities":[4259840004],"mpls_labels":[17,32],"vlans":[100,200]}`+"\n")
	equal(t, "arrays", answers[1], `{"type":"Array(UInt32)","hops":2,"tagged":1,"large":1}`+"\n")
}
