package google
