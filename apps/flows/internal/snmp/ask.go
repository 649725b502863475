package snmp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"strconv"
	"strings"
	"unicode"

	"github.com/gosnmp/gosnmp"
)

// Access is how exporters are asked.
type Access struct {
	Port      uint16
	Community string // of v2c; empty for v3

	// Of v3. Without protocols there is no authentication, or no encryption.
	User              string
	Authentication    gosnmp.SnmpV3AuthProtocol
	AuthPassphrase    string
	Privacy           gosnmp.SnmpV3PrivProtocol
	PrivacyPassphrase string
	Context           string
}

// The names of protocols, as the operator writes them.
var (
	authentications = map[string]gosnmp.SnmpV3AuthProtocol{
		"md5": gosnmp.MD5, "sha": gosnmp.SHA, "sha224": gosnmp.SHA224, "sha256": gosnmp.SHA256, "sha384": gosnmp.SHA384, "sha512": gosnmp.SHA512,
	}
	privacies = map[string]gosnmp.SnmpV3PrivProtocol{
		"des": gosnmp.DES, "aes": gosnmp.AES, "aes192": gosnmp.AES192, "aes256": gosnmp.AES256, "aes192c": gosnmp.AES192C, "aes256c": gosnmp.AES256C,
	}
)

// ParseAuthentication reads the name of a protocol: md5, sha, sha224, sha256, sha384 or sha512.
func ParseAuthentication(name string) (gosnmp.SnmpV3AuthProtocol, error) {
	return named(authentications, name, "md5, sha, sha224, sha256, sha384, sha512")
}

// ParsePrivacy reads the name of a protocol: des, aes, aes192, aes256, aes192c or aes256c.
func ParsePrivacy(name string) (gosnmp.SnmpV3PrivProtocol, error) {
	return named(privacies, name, "des, aes, aes192, aes256, aes192c, aes256c")
}

func named[P any](all map[string]P, name, list string) (P, error) {
	p, ok := all[strings.ToLower(name)]
	if !ok {
		return p, fmt.Errorf("%q is not one of %s", name, list)
	}
	return p, nil
}

// The objects of RFC 3418 and RFC 2863.
const (
	sysDescr    = ".1.3.6.1.2.1.1.1.0"
	sysName     = ".1.3.6.1.2.1.1.5.0"
	sysLocation = ".1.3.6.1.2.1.1.6.0"
	ifDescr     = ".1.3.6.1.2.1.2.2.1.2"
	ifSpeed     = ".1.3.6.1.2.1.2.2.1.5"
	ifName      = ".1.3.6.1.2.1.31.1.1.1.1"
	ifHighSpeed = ".1.3.6.1.2.1.31.1.1.1.15"
	ifAlias     = ".1.3.6.1.2.1.31.1.1.1.18"
)

// client is a client for a device, not yet connected.
func client(ctx context.Context, a netip.Addr, access *Access, o *Options) *gosnmp.GoSNMP {
	c := &gosnmp.GoSNMP{
		Target: a.String(), Port: access.Port, Context: ctx, Timeout: o.Timeout, Retries: o.Retries, ExponentialTimeout: true,
		MaxOids: gosnmp.MaxOids, MaxRepetitions: 25, // whose answer fits into one packet, mostly
		Version: gosnmp.Version2c, Community: access.Community,
	}
	if access.Community != "" {
		return c
	}
	c.Version, c.SecurityModel, c.MsgFlags, c.ContextName = gosnmp.Version3, gosnmp.UserSecurityModel, gosnmp.NoAuthNoPriv, access.Context
	user := &gosnmp.UsmSecurityParameters{
		UserName: access.User, AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
	}
	if access.Authentication > gosnmp.NoAuth {
		c.MsgFlags = gosnmp.AuthNoPriv
		user.AuthenticationProtocol, user.AuthenticationPassphrase = access.Authentication, access.AuthPassphrase
	}
	if access.Privacy > gosnmp.NoPriv {
		c.MsgFlags = gosnmp.AuthPriv
		user.PrivacyProtocol, user.PrivacyPassphrase = access.Privacy, access.PrivacyPassphrase
	}
	c.SecurityParameters = user
	return c
}

// ask asks a device for everything.
func ask(ctx context.Context, a netip.Addr, access *Access, o *Options) (f *Facts, err error) {
	defer func() { // an answer is from the network; whatever the library does with it must not end the collector
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("the answer cannot be read: %v", r)
		}
	}()
	c := client(ctx, a, access, o)
	if err := c.Connect(); err != nil {
		return nil, err
	}
	defer c.Close()
	f = &Facts{Ports: map[uint64]Port{}}
	answer, err := c.Get([]string{sysDescr, sysName, sysLocation})
	if err != nil {
		return nil, err
	}
	if answer.Error != gosnmp.NoError {
		return nil, fmt.Errorf("the exporter answers with error %v", answer.Error)
	}
	for _, v := range answer.Variables {
		switch v.Name {
		case sysDescr:
			f.Description = textOf(v)
		case sysName:
			f.Name = textOf(v)
		case sysLocation:
			f.Location = textOf(v)
		}
	}
	// The order matters: ifName replaces ifDescr, ifHighSpeed replaces ifSpeed.
	for _, column := range []struct {
		object string
		set    func(p *Port, v gosnmp.SnmpPDU)
	}{
		{ifDescr, func(p *Port, v gosnmp.SnmpPDU) { p.Name = textOf(v) }},
		{ifName, func(p *Port, v gosnmp.SnmpPDU) {
			if name := textOf(v); name != "" {
				p.Name = name
			}
		}},
		{ifAlias, func(p *Port, v gosnmp.SnmpPDU) { p.Description = textOf(v) }},
		{ifSpeed, func(p *Port, v gosnmp.SnmpPDU) { p.Speed = numberOf(v) }},
		{ifHighSpeed, func(p *Port, v gosnmp.SnmpPDU) {
			if millions := numberOf(v); millions > 0 {
				p.Speed = millions * 1_000_000
			}
		}},
	} {
		err := c.BulkWalk(column.object, func(v gosnmp.SnmpPDU) error {
			index, err := strconv.ParseUint(strings.TrimPrefix(v.Name, column.object+"."), 10, 32)
			if err != nil {
				return nil // a row of another form
			}
			p, known := f.Ports[index]
			if !known && len(f.Ports) >= maxPorts {
				return fmt.Errorf("it has more than %d interfaces", maxPorts)
			}
			column.set(&p, v)
			f.Ports[index] = p
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.New("it took longer than a minute")
	}
	return f, nil
}

// same reports whether facts are equal, apart from their time.
func (f *Facts) same(g *Facts) bool {
	return f.Name == g.Name && f.Description == g.Description && f.Location == g.Location && maps.Equal(f.Ports, g.Ports)
}

// textOf is a text as UTF-8, without control characters.
func textOf(v gosnmp.SnmpPDU) string {
	b, ok := v.Value.([]byte)
	if !ok {
		return ""
	}
	text := strings.ToValidUTF8(string(b), "\uFFFD")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return strings.TrimSpace(text)
}

func numberOf(v gosnmp.SnmpPDU) uint64 {
	switch v.Value.(type) {
	case int, uint, int64, uint64, uint32, int32:
		return gosnmp.ToBigInt(v.Value).Uint64()
	}
	return 0
}
