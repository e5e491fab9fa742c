//! The reader: on dumps of real tools beside other readers, on grammar in every form, on damaged dumps, in pieces and from
//! the middle on. One program, since the reader is compiled again in each.

mod corpus;
mod grammar;
mod malformed;
mod mutations;
mod queries;
mod readme;
mod rises;
mod split;
mod streams;
