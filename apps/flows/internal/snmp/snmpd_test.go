package snmp

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"
)

// TestNetSNMP asks the agent of Net-SNMP, where it is installed, by v2c and by v3.
func TestNetSNMP(t *testing.T) {
	program, err := exec.LookPath("snmpd")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/snmpd"); err != nil {
			t.Skip("snmpd is not installed")
		}
	}
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	free.Close()
	folder := t.TempDir()
	config := filepath.Join(folder, "snmpd.conf")
	text := fmt.Sprintf("agentaddress udp:127.0.0.1:%d\nrocommunity secret 127.0.0.1\nsysName edge1.example.com\nsysLocation Paris\n"+
		"createUser sha SHA \"authsecret1\" AES \"privsecret1\"\nrouser sha authpriv\n"+
		"createUser sha256 SHA-256 \"authsecret2\"\nrouser sha256 authnopriv\n", port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(program, "-f", "-Lf", filepath.Join(folder, "log"), "-C", "-c", config, "-p", filepath.Join(folder, "pid"))
	agent.Env = append(os.Environ(), "MIBS=", "SNMP_PERSISTENT_DIR="+folder, "SNMPCONFPATH="+folder)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	loopback, err := net.InterfaceByName("lo")
	if err != nil {
		t.Skip("there is no interface lo")
	}
	for name, access := range map[string]*Access{
		"v2c":     {Port: port, Community: "secret"},
		"v3":      {Port: port, User: "sha", Authentication: gosnmp.SHA, AuthPassphrase: "authsecret1", Privacy: gosnmp.AES, PrivacyPassphrase: "privsecret1"},
		"v3 auth": {Port: port, User: "sha256", Authentication: gosnmp.SHA256, AuthPassphrase: "authsecret2"},
	} {
		o := Defaults()
		o.Timeout = time.Second
		var f *Facts
		until(t, name, func() bool { f, err = ask(t.Context(), local, access, &o); return err == nil })
		if f.Name != "edge1.example.com" || f.Location != "Paris" || f.Description == "" || f.Ports[uint64(loopback.Index)].Name != "lo" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	o := Defaults()
	o.Timeout, o.Retries = 200*time.Millisecond, 0
	for name, access := range map[string]*Access{
		"community":  {Port: port, Community: "guess"},
		"passphrase": {Port: port, User: "sha256", Authentication: gosnmp.SHA256, AuthPassphrase: "wrongsecret"},
		"user":       {Port: port, User: "nobody", Authentication: gosnmp.SHA256, AuthPassphrase: "wrongsecret"},
	} {
		if f, err := ask(t.Context(), local, access, &o); err == nil {
			t.Errorf("a wrong %s: %+v", name, f)
		} else {
			t.Logf("a wrong %s: %v", name, err)
		}
	}
}
