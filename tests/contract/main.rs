//! The statements of `docs/dut-contract.md`, each on the bundled RTL and on the model. What is driven and what is
//! expected are numbers out of the text; bytes go in and come out where sections 2 and 3 say.

mod accesses;
mod counting;
mod examples;
mod ports;
mod registers;
mod sampling;
mod subject;
mod threads;
mod writes;

#[path = "../support/implementations.rs"]
mod implementations;

/// A test of one statement, on RTL and on model, both fresh out of reset. Without a word, of the default implementation:
/// 31 counters with everything.
macro_rules! statement {
    ($name:ident, $implementation:literal, |$it:ident| $body:block) => {
        mod $name {
            #[allow(unused_imports, reason = "some need no registers")]
            use super::*;

            fn check($it: &mut $crate::subject::Subject) $body

            #[test]
            fn rtl() {
                check(&mut $crate::subject::Subject::rtl($implementation));
            }

            #[test]
            fn model() {
                check(&mut $crate::subject::Subject::model($implementation));
            }
        }
    };
    ($name:ident, |$it:ident| $body:block) => {
        statement!($name, "", |$it| $body);
    };
}
use statement;
