package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/examples/codec/service"
	hotpb "github.com/hotpb/hotpb/go"
)

// Both shops run on one journal: each reads what the other wrote, and a client sees no difference.
func TestBothRunSideBySide(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	var shops [2]*httptest.Server
	for i, isMoved := range []bool{false, true} {
		shops[i] = httptest.NewServer(&service.Service{Journal: journal, Kinds: kinds(isMoved)})
		defer shops[i].Close()
	}
	for i, by := range []string{"old", "new", "old again", "new again"} {
		messages, err := samples(i%2 == 1)(by)
		if err != nil {
			t.Fatal(err)
		}
		for name, msg := range messages {
			body, err := hotpb.Marshal(msg)
			if err != nil {
				t.Fatal(err)
			}
			// To the shop that has the other struct.
			answer, err := http.Post(shops[1-i%2].URL+"/"+name, "application/x-protobuf", bytes.NewReader(body))
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%v %v", answer, err)
			}
			answer.Body.Close()
		}
	}
	read := func(shop *httptest.Server, name string) string {
		answer, err := http.Get(shop.URL + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), " ", "") // how many there are is the runtime's choice
	}
	for _, name := range []string{"customers", "orders"} {
		old, moved := read(shops[0], name), read(shops[1], name)
		if old != moved || strings.Count(old, "\n") != 4 || !strings.Contains(old, "newagain") {
			t.Errorf("%s: the shop as it was shows\n%sthe other\n%s", name, old, moved)
		}
	}
	answer, err := http.Post(shops[1].URL+"/orders", "application/x-protobuf", bytes.NewReader([]byte{10}))
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a damaged order: %v %v", answer, err)
	}
}
