//go:build acceptance && linux

package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// speaker is a GoBGP that announces its routes to its neighbours, or to BMP.
type speaker struct {
	api     string
	process *load.Process
}

func startGoBGP(t *testing.T, configuration string) *speaker {
	t.Helper()
	folder := t.TempDir()
	api, err := load.FreePage()
	must(t, err)
	file := filepath.Join(folder, "gobgpd.toml")
	must(t, os.WriteFile(file, []byte(configuration), 0o644))
	p, err := load.StartProcess(filepath.Join(folder, "log"), find(t, "gobgpd"), "-f", file, "--api-hosts", api, "--pprof-disable")
	must(t, err)
	t.Cleanup(p.Kill)
	s := &speaker{api, p}
	for end := time.Now().Add(20 * time.Second); exec.Command(find(t, "gobgp"), s.arguments("global")...).Run() != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) || !p.Running() {
			t.Fatalf("gobgpd does not start: %s", p.Tail())
		}
	}
	return s
}

func (s *speaker) arguments(more ...string) []string {
	host, port, _ := net.SplitHostPort(s.api)
	return append([]string{"-u", host, "-p", port}, more...)
}

// rib adds a route to its table, or removes it.
func (s *speaker) rib(t *testing.T, more ...string) {
	t.Helper()
	if said, err := exec.Command(find(t, "gobgp"), s.arguments(append([]string{"global", "rib"}, more...)...)...).CombinedOutput(); err != nil {
		t.Fatalf("gobgp %v: %v\n%s", more, err, said)
	}
}

// startFRR starts a router of FRR whose only neighbour is a GoBGP.
func startFRR(t *testing.T, station string) (router *load.Process, neighbour *speaker) {
	t.Helper()
	folder := t.TempDir()
	bgp, err := load.FreePage()
	must(t, err)
	own, err := load.FreePage()
	must(t, err)
	_, port, _ := net.SplitHostPort(bgp)
	_, listen, _ := net.SplitHostPort(own)
	_, collector, _ := net.SplitHostPort(station)
	neighbour = startGoBGP(t, fmt.Sprintf(`[global.config]
  as = 64500
  router-id = "192.0.2.2"
  port = %s
  local-address-list = ["127.0.0.6"]
[[neighbors]]
  [neighbors.config]
    neighbor-address = "127.0.0.7"
    peer-as = 64497
  [neighbors.transport.config]
    local-address = "127.0.0.6"
    passive-mode = true
  [neighbors.ebgp-multihop.config]
    enabled = true
    multihop-ttl = 5
`, port))
	file := filepath.Join(folder, "bgpd.conf")
	must(t, os.WriteFile(file, []byte(fmt.Sprintf(`log stdout
router bgp 64497
 bgp router-id 192.0.2.3
 no bgp ebgp-requires-policy
 neighbor 127.0.0.6 remote-as 64500
 neighbor 127.0.0.6 port %s
 neighbor 127.0.0.6 update-source 127.0.0.7
 neighbor 127.0.0.6 ebgp-multihop 5
 neighbor 127.0.0.6 timers connect 1
 bmp targets flows
  bmp stats interval 1000
  bmp monitor ipv4 unicast pre-policy
  bmp monitor ipv4 unicast post-policy
  bmp connect 127.0.0.1 port %s min-retry 100 max-retry 1000
 exit
`, port, collector)), 0o644))
	router, err = load.StartProcess(filepath.Join(folder, "log"), "/usr/lib/frr/bgpd", "-Z", "-S", "-M", "bmp", "-p", listen, "-l", "127.0.0.7",
		"-f", file, "-z", filepath.Join(folder, "zebra"), "--vty_socket", folder, "-P", "0", "-i", filepath.Join(folder, "pid"))
	must(t, err)
	t.Cleanup(router.Kill)
	return router, neighbour
}

// Flows have the routes that a router sends as they change: announced, replaced, withdrawn; of a router that is killed they
// stay until they expire.
func TestFlowsHaveTheRoutesOfLiveRouters(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T, station string) (router *load.Process, from *speaker){
		"FRR": startFRR,
		"GoBGP": func(t *testing.T, station string) (*load.Process, *speaker) {
			_, port, _ := net.SplitHostPort(station)
			s := startGoBGP(t, fmt.Sprintf(`[global.config]
  as = 64496
  router-id = "192.0.2.1"
  port = -1
[[bmp-servers]]
  [bmp-servers.config]
    address = "127.0.0.1"
    port = %s
    route-monitoring-policy = "local-rib"
`, port))
			return s.process, s
		},
	} {
		t.Run(name, func(t *testing.T) { liveRoutes(t, begin) })
	}
}

func liveRoutes(t *testing.T, begin func(t *testing.T, station string) (router *load.Process, from *speaker)) {
	folder := t.TempDir()
	station, err := load.FreePage()
	must(t, err)
	text, err := os.ReadFile("../flows.yaml")
	must(t, err)
	schema, enrichment := filepath.Join(folder, "flows.yaml"), filepath.Join(folder, "enrich.yaml")
	must(t, os.WriteFile(schema, bytes.Replace(text, []byte("columns:\n"), []byte("columns:\n  - {name: src_origin, number: 100, type: uint32}\n"), 1), 0o644))
	must(t, os.WriteFile(enrichment, []byte("bmp:\n  listen: \""+station+"\"\n  from: [127.0.0.0/8]\n  expire: 3s\n  columns: {origin: origin_as}\n"), 0o644))
	c := startCollector(t, "--schema="+schema, "--enrichment="+enrichment, "--output=stdout")
	router, from := begin(t, station)
	s := newSender(t, c.listen)

	// origins are those of the flows that come now.
	origins := func() string {
		t.Helper()
		before, err := os.Stat(c.log)
		must(t, err)
		send(t, s, 200, 500*time.Millisecond, nil)
		c.settled(s.Sums().Datagrams, 20*time.Second)
		said, err := os.ReadFile(c.log)
		must(t, err)
		seen := map[string]int{}
		for _, line := range bytes.Split(said[before.Size():], []byte("\n")) {
			var flow struct {
				Source string `json:"src_addr"`
				Origin uint32 `json:"src_origin"`
			}
			if json.Unmarshal(line, &flow) == nil && bytes.HasPrefix([]byte(flow.Source), []byte("198.18.")) {
				seen[fmt.Sprint(flow.Origin)]++
			}
		}
		if len(seen) != 1 {
			return fmt.Sprint("mixed: ", seen)
		}
		for origin := range seen {
			return origin
		}
		return ""
	}
	until := func(state, want string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if got = origins(); got == want {
				t.Logf("%s: AS %s", state, got)
				return
			}
		}
		t.Fatalf("%s: AS %s instead of %s\n%s", state, got, want, router.Tail())
	}
	until("before there are routes", "0")
	from.rib(t, "add", "198.18.0.0/16", "aspath", "64510,64511", "nexthop", "192.0.2.9")
	until("announced", "64511")
	from.rib(t, "add", "198.18.0.0/16", "aspath", "64510,64512", "nexthop", "192.0.2.9")
	until("replaced", "64512")
	from.rib(t, "add", "0.0.0.0/0", "aspath", "64513", "nexthop", "192.0.2.9")
	from.rib(t, "del", "198.18.0.0/16")
	until("withdrawn", "64513")
	router.Kill()
	equal(t, "after the router was killed", origins(), "64513")
	until("expired", "0")
	m := c.metrics()
	equal(t, "lost connections", m.Sum(`flows_bmp_ended_total{reason="connection"}`), 1)
	equal(t, "malformed", m.Sum(`flows_bmp_ended_total{reason="malformed"}`), 0)
	equal(t, "errors", m.Sum(`flows_enrichment_errors_total{source="bmp"}`), 0)
	c.stop()
}
