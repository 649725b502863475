//go:build linux

package load

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

func TestMessagesAreCountedAsFilesGrowAndAreFinished(t *testing.T) {
	folder := t.TempDir()
	f := &Folder{Path: folder, Remove: true}
	part, finished := filepath.Join(folder, "a.pb.part"), filepath.Join(folder, "a.pb")
	write := func(b ...byte) {
		t.Helper()
		file, err := os.OpenFile(part, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = file.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	count := func(want uint64, rest int64) {
		t.Helper()
		got, err := f.Count()
		if err != nil || got != want {
			t.Fatalf("%d messages (%v), not %d", got, err, want)
		}
		if left, err := f.Rest(); err != nil || left != rest {
			t.Fatalf("%d bytes after them (%v), not %d", left, err, rest)
		}
	}
	count(0, 0)
	write(2, 'a', 'b', 0, 3, 'c') // two messages and the beginning of a third
	count(2, 2)
	write('d', 'e', 0x81)
	count(3, 1)
	write(0x01)
	write(make([]byte, 129)...)
	if err := os.Rename(part, finished); err != nil {
		t.Fatal(err)
	}
	count(4, 0)
	if _, err := os.Stat(finished); !os.IsNotExist(err) {
		t.Errorf("the file that is finished and counted is still there: %v", err)
	}
	count(4, 0)
}

// What a listener gets is what the sender says it has sent, exporter by exporter, at the pace that was asked for.
func TestASenderKeepsAccountAndPace(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetReadBuffer(4 << 20); err != nil {
		t.Fatal(err)
	}
	made := generate.Options{Exporters: 3, Protocols: []flow.Protocol{flow.NetFlow9, flow.IPFIX}}
	ring := generate.NewRing(generate.New(made), 64)
	s, err := NewSender(ring, conn.LocalAddr().(*net.UDPAddr).AddrPort())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	sent, err := s.Send(context.Background(), 320, 250*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if sent.Datagrams != 80 || sent.Took < 200*time.Millisecond {
		t.Errorf("%d datagrams in %v, not 80 in 250 ms", sent.Datagrams, sent.Took)
	}
	exporters, got := map[netip.AddrPort]*truth.Exporter{}, map[netip.Addr]truth.Sum{}
	buffer := make([]byte, 65536)
	for range sent.Datagrams {
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, from, err := conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			t.Fatal(err)
		}
		if exporters[from] == nil {
			if exporters[from], err = truth.NewExporter(); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := exporters[from].Of(&flow.Datagram{Received: time.Now(), From: from, Payload: buffer[:n]})
		if err != nil {
			t.Fatal(err)
		}
		account := got[from.Addr()]
		account.Add(sum)
		got[from.Addr()] = account
	}
	for address, want := range s.Exporters() {
		if got[address] != (truth.Sum{Flows: want.Flows, Bytes: want.Bytes, Packets: want.Packets}) {
			t.Errorf("%v: %+v, not %+v", address, got[address], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("exporters: %v", got)
	}
}
