package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// hostPort returns an address to listen on in the form HOST:PORT. A port alone means all addresses of the machine.
func hostPort(flag, text string) (string, error) {
	text = strings.TrimSpace(text)
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("--%s=%s is not an address: write HOST:PORT, such as 127.0.0.1:2055 or [::1]:2055, or :2055 for all addresses of the machine", flag, text)
	}
	if _, err := net.LookupPort("udp", port); err != nil {
		return "", fmt.Errorf("--%s=%s: %q is not a port: write a number from 0 to 65535", flag, text, port)
	}
	return net.JoinHostPort(host, port), nil
}
