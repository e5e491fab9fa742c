//! Proofs that a design and the model are equal, for all inputs and all states: not sampled, but for good.
//!
//! A design becomes a netlist by Yosys ([`yosys`], [`netlist`]); what of it stands for what of the contract is a file
//! ([`correspondence`]). The model's datapath runs on [`symbol`]s and makes a circuit by itself; its functions with
//! branches are run for each value of what they depend on ([`tables`], [`accesses`], [`access_rules`]); the rest is a
//! slow contract ([`counting`], [`counter`], [`events`], [`registers`], [`sampling`], [`system`]). That both are equal
//! is a question to a solver, whose answer has a certificate ([`solver`], [`lrat`]); where they are not, the answer
//! becomes stimulus ([`counterexample`]). How much runs notice of what is not equal is another question ([`score`]),
//! and whether stimulus can take what it did not yet another ([`reach`]). A correspondence can be looked for
//! ([`suggest`]).

pub mod access_rules;
pub mod accesses;
pub mod circuit;
pub mod constant;
pub mod contract;
pub mod correspondence;
pub mod counter;
pub mod counterexample;
pub mod counting;
pub mod cycle;
pub mod events;
pub mod judge;
pub mod lrat;
pub mod netlist;
pub mod proof;
pub mod propagation;
pub mod reach;
pub mod registers;
pub mod replay;
pub mod sampling;
pub mod score;
pub mod simulation;
pub mod solver;
pub mod suggest;
pub mod symbol;
pub mod system;
pub mod table;
pub mod tables;
pub mod yosys;
