//! Generated code that the tests use.
