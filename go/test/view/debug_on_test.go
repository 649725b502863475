//go:build hotpbdebug

package view_test

import (
	"strings"
	"testing"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
)

const debugBuild = true

// caught runs a function that must panic because its view has outlived its bytes.
func caught(t *testing.T, subject string, use func()) {
	t.Helper()
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "hotpb: a view is used after") {
			t.Errorf("%s: not caught (%v)", subject, p)
		}
	}()
	use()
}

// VIW-26, VIW-63
func TestDebugBuildCatchesAViewThatOutlivesItsBuffer(t *testing.T) {
	pooled := oneOfEach()
	v := new(p2.AllView)
	if err := v.Decode(pooled); err != nil {
		t.Fatal(err)
	}
	borrowed := v.SingleString()
	child, err := v.SingleChild()
	if err != nil {
		t.Fatal(err)
	}
	view.Release(pooled)
	if want := strings.Repeat(string([]byte{view.Poison}), len(borrowed)); borrowed != want {
		t.Errorf("a string of released bytes reads %q", borrowed)
	}
	for subject, use := range map[string]func(){
		"a number":           func() { sink += int(v.SingleInt32()) },
		"a fixed number":     func() { sink += int(v.SingleFixed32()) },
		"a string":           func() { sink += len(v.SingleString()) },
		"bytes":              func() { sink += len(v.SingleBytes()) },
		"a message":          func() { v.SingleChild() },
		"a repeated field":   func() { v.RepeatedInt32Nth(0) },
		"repeated strings":   func() { v.RepeatedStringNth(0) },
		"repeated messages":  func() { v.RepeatedChildNth(0) },
		"a map":              func() { v.KeyInt32Find(5) },
		"unknown fields":     func() { v.UnknownFields() },
		"the bytes":          func() { sink += len(v.RawBytes()) },
		"a child opened":     func() { sink += len(child.Name()) },
		"the check of all":   func() { _ = v.Validate() },
		"an extension":       func() { p2.E_ExtInt32.Has(v) },
		"the message itself": func() { v.AsMessage() },
	} {
		caught(t, subject, use)
	}
	// The memory is reused: new views are valid, and the old one must still be caught.
	copy(pooled, oneOfEach())
	var stale p2.AllView
	if err := stale.Decode(pooled); err != nil || stale.SingleInt32() != 150 {
		t.Error("a new view of memory that was released does not read it")
	}
	caught(t, "the old view", func() { sink += int(v.SingleInt32()) })
}

// VIW-26, VIW-63
func TestDebugBuildCatchesAViewThatOutlivesAnEdit(t *testing.T) {
	e, b := edited(t, varint(1, 5), message(18, varint(1, 1)))
	v := *e.View()
	e.SetSingleInt32(6)
	caught(t, "a view from before an edit in place", func() { sink += int(v.SingleInt32()) })
	v = *e.View()
	c, err := e.EditSingleChild()
	if err != nil {
		t.Fatal(err)
	}
	c.SetName("x")
	caught(t, "a view of the parent", func() { sink += int(v.SingleInt32()) })
	v = *e.View()
	if v.SingleInt32() != 6 {
		t.Error("a new view does not read")
	}
	e.Start(b)
	caught(t, "a view of the message before", func() { sink += int(v.SingleInt32()) })
}
