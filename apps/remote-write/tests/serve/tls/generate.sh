#!/usr/bin/env bash
# Writes the keys and certificates of the tests. They protect nothing, and are valid for a hundred years.
set -euo pipefail
cd "$(dirname "$0")"
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=$1" \
    -addext keyUsage=critical,keyCertSign -keyout "$1.key" -out "$1.pem"
}
signed() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 36500 -out "$1.pem" \
    -extfile <(printf 'basicConstraints=critical,CA:false\nsubjectAltName=DNS:localhost\nextendedKeyUsage=%s\n' "$3")
}
authority authority
authority stranger
signed server authority serverAuth
signed other-server authority serverAuth
signed client authority clientAuth
signed strange-client stranger clientAuth
rm -- *.csr *.srl authority.key stranger.*
