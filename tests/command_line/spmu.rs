//! `lockstep spmu decode`.

use crate::command;
use crate::golden::{assert_golden, golden, keys};
use crate::scratch::scratch;

fn decoded(name: &str, arguments: &str) -> i32 {
    let folder = scratch(&format!("command_line/{name}"));
    golden(name, &folder, &format!("spmu decode {arguments}")).code
}

#[test]
fn help() {
    assert_eq!(decoded("help_spmu_decode", "--help"), 0);
}

/// NCG = 1, SPMCGCR0 = 0x0604, N = 0x09, with counters of 64 bits.
#[test]
fn spmu_19_example_d15_1() {
    assert_eq!(decoded("spmu_example_d15_1", "0x1008_3f09 0x0604 0"), 0);
}

#[test]
fn with_all_registers() {
    let code = decoded(
        "spmu_with_all_registers",
        "0x11283f09 0x604 0 --iidr 0x4a51_243b --devarch 0x4770_0a66 --devaff 0x8100_0100",
    );
    assert_eq!(code, 0);
}

#[test]
fn one_group_of_64() {
    assert_eq!(
        decoded("spmu_one_group", "0x83f3f 0 0 --devaff 0x1_0002_8000"),
        0
    );
}

#[test]
fn fifteen_groups() {
    let arguments = "0xe0081f22 0x0302_0104_0001_0304 0x0004_0302_0100_0403";
    assert_eq!(decoded("spmu_fifteen_groups", arguments), 0);
}

#[test]
fn not_implemented() {
    assert_eq!(decoded("spmu_not_implemented", "0 0 0"), 0);
}

#[test]
fn values_that_break_rules() {
    let arguments = "0x10001e08 0x0003_2604 0x100 --iidr 0x80 --devarch 1 --devaff 0x100000000";
    assert_eq!(decoded("spmu_problems", arguments), 1);
}

#[test]
fn number_that_is_none() {
    assert_eq!(decoded("spmu_number_that_is_none", "1008 0604 0x"), 2);
}

#[test]
fn conclusions_in_json() {
    let folder = scratch("command_line/spmu_in_json");
    let mut command = command::lockstep(&folder);
    let ran = command::run(command.args(["spmu", "decode", "0x10083f08", "0x604", "0", "--json"]));
    assert_eq!(ran.code, 1);
    assert_golden("keys_spmu_decode", &keys(&ran.stdout));
}
