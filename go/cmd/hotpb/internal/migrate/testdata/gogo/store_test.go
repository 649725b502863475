package main

import (
	"reflect"
	"testing"
	"time"

	"github.com/gogo/protobuf/proto"

	"example.com/depot/stock"
)

func TestAnEntryComesBack(t *testing.T) {
	e := &stock.Entry{ID: "bolt", Places: []stock.Place{{Hall: "A", Shelf: 3}, {}}, Digest: stock.Digest{1, 2, 3, 4}, At: time.Unix(1700000000, 5).UTC(), Serial: 77}
	s := store{}
	if err := s.put(e); err != nil {
		t.Fatal(err)
	}
	decoded, err := s.get("bolt")
	if err != nil || !reflect.DeepEqual(e, &decoded) || *proto.String(decoded.ID) != "bolt" {
		t.Fatal(decoded, err)
	}
	if _, err := checksum(e); err != nil {
		t.Fatal(err)
	}
	if b, err := frame(e); err != nil || string(b[1:]) != string(s["bolt"]) {
		t.Fatal(b, err)
	}
}
