//! The program from end to end, as a user meets it. One executable: each links all that the tests need.

mod check;
mod cli;
mod cluster;
mod common;
mod complete;
mod docs;
mod flags;
mod inputs;
mod limits;
mod locate;
mod long;
mod maxcut;
mod memory;
mod paper;
mod problems;
mod same_bits;
mod scan;
mod schema;
mod solve;
mod store;
mod theta;
mod writers;
