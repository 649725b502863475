package hotpb

// Version is the version of this module, without a leading v.
const Version = "0.1.0"
