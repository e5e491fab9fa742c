//! Rules of IEEE 1364 section 18 and of common practice, one test for each.

use lockstep_vcd::{
    BitRange, Error, Event, Section, Slice, Source, State, Stream, Timescale, ValueRef, VarKind,
};

/// The events of a dump with signals `!` (1 bit), `"` (8 bits), `#` (real), `$` (string), shown
/// in short.
fn events(body: &str) -> (Vec<String>, Option<Error>) {
    let text = format!(
        "$var wire 1 ! a $end $var reg 8 \" b $end $var real 64 # r $end $var string 0 $ s $end \
         $enddefinitions $end\n{body}"
    );
    let mut shown = Vec::new();
    let mut error = None;
    for event in Slice::new(text.as_bytes()).unwrap().events() {
        match event {
            Ok(Event::Time(time)) => shown.push(format!("#{time}")),
            Ok(Event::Change(signal, value)) => {
                shown.push(format!("{}={}", signal.index(), value.to_value()));
            }
            Ok(Event::Begin(section)) => shown.push(format!("<{section:?}")),
            Ok(Event::End(section)) => shown.push(format!("{section:?}>")),
            Ok(Event::Comment(text)) => shown.push(String::from_utf8_lossy(text).into_owned()),
            Err(fault) => error = Some(fault),
        }
    }
    (shown, error)
}

#[track_caller]
fn reads(body: &str, expected: &[&str]) {
    let (shown, error) = events(body);
    assert_eq!(shown, expected);
    assert!(error.is_none(), "{error:?}");
}

#[track_caller]
fn fails(body: &str, before: &[&str], message: &str) {
    let (shown, error) = events(body);
    assert_eq!(shown, before);
    let error = error.expect("an error").to_string();
    assert!(error.starts_with(message), "{error}");
}

#[test]
fn every_state_of_a_scalar() {
    reads(
        "0!\n1!\nx!\nX!\nz!\nZ!\n",
        &["0=1'h0", "0=1'h1", "0=1'hx", "0=1'hx", "0=1'hz", "0=1'hz"],
    );
}

#[test]
fn short_vectors_are_extended() {
    reads(
        "b1 \"\nb0 \"\nbx \"\nbz1 \"\nBX1 \"\n",
        &[
            "1=8'h01",
            "1=8'h00",
            "1=8'hxx",
            "1=8'bzzzzzzz1",
            "1=8'bxxxxxxx1",
        ],
    );
}

#[test]
fn a_scalar_change_of_a_vector_is_extended_too() {
    reads("1\"\nx\"\n", &["1=8'h01", "1=8'hxx"]);
}

#[test]
fn a_vector_of_one_digit_changes_a_scalar() {
    reads("b1 !\n", &["0=1'h1"]);
}

#[test]
fn reals_of_every_form() {
    reads(
        "r0 #\nr-1.5 #\nR1e+300 #\nr1.7E-3 #\nrinf #\nr-inf #\nrnan #\n",
        &[
            "2=0",
            "2=-1.5",
            &format!("2={}", 1e300),
            "2=0.0017",
            "2=inf",
            "2=-inf",
            "2=NaN",
        ],
    );
}

#[test]
fn rounded_times_do_not_hide_that_time_goes_back() {
    for (body, ends) in [
        ("#9.3\n#9.4\n#9.40\n#9.6\n#10\n", None),
        (
            "#9.4\n#9.3\n",
            Some("[vcd] expected a time not below the one before"),
        ),
        (
            "#9.4\n#9\n",
            Some("[vcd] expected a time not below the one before"),
        ),
        (
            "#9.6\n#9\n",
            Some("[vcd] expected a time not below the one before"),
        ),
    ] {
        let text = format!("$var wire 1 ! a $end $enddefinitions $end\n{body}");
        let mut dump = Stream::new(text.as_bytes()).unwrap().lenient();
        let read = dump.for_each(|_| {}).map_err(|error| error.to_string());
        match (read, ends) {
            (Ok(()), None) => {}
            (Err(error), Some(start)) => assert!(error.starts_with(start), "{error}"),
            (read, _) => panic!("{body}: {read:?}"),
        }
    }
}

#[test]
fn strings_may_be_empty() {
    reads(
        "sidle $\ns $\ns\u{e9}t\u{e9} $\n",
        &["3=idle", "3=", "3=\u{e9}t\u{e9}"],
    );
}

#[test]
fn white_space_of_every_kind_and_amount() {
    reads(
        "\r\n\r\n#0\r\n\t1! 0!\x0b\n\nb1 \t \r\n \"\r\nr1\t#\n\x0c",
        &["#0", "0=1'h1", "0=1'h0", "1=8'h01", "2=1"],
    );
}

#[test]
fn the_last_line_needs_no_end() {
    reads("#1\n1!", &["#1", "0=1'h1"]);
    reads("b1 \"", &["1=8'h01"]);
    reads("$dumpall 1! $end", &["<DumpAll", "0=1'h1", "DumpAll>"]);
}

#[test]
fn a_last_token_that_may_be_cut_is_a_fault() {
    fails(
        "#1",
        &[],
        "[vcd] expected white space after the last code or number, which may be cut off, found `1`",
    );
    fails(
        "#1\n$dumpvars 1! $end $dumpall",
        &["#1", "<DumpVars", "0=1'h1", "DumpVars>", "<DumpAll"],
        "[vcd] expected `$end` of the `$dump` section, found the end of the dump",
    );
}

#[test]
fn zeros_above_the_width_are_nothing() {
    reads("b0000000000101 \"\nb01 !\n", &["1=8'h05", "0=1'h1"]);
    fails(
        "b10 !\n",
        &[],
        "[vcd] expected at most 1 binary digits, found `10`",
    );
    fails(
        "bx1 !\n",
        &[],
        "[vcd] expected at most 1 binary digits, found `x1`",
    );
}

#[test]
fn sections_are_told() {
    reads(
        "$dumpvars\n0!\n$end\n#1\n$dumpoff x! $end\n$dumpon 1! $end $dumpall 1! $end",
        &[
            "<DumpVars",
            "0=1'h0",
            "DumpVars>",
            "#1",
            "<DumpOff",
            "0=1'hx",
            "DumpOff>",
            "<DumpOn",
            "0=1'h1",
            "DumpOn>",
            "<DumpAll",
            "0=1'h1",
            "DumpAll>",
        ],
    );
}

#[test]
fn the_end_of_the_last_section_may_be_missing() {
    reads("$dumpvars\n0!\n", &["<DumpVars", "0=1'h0"]);
    assert!(matches!(Section::DumpVars, Section::DumpVars));
}

#[test]
fn comments_and_unknown_sections_are_passed_over() {
    reads(
        "$comment #5 1! b1 $ende $end\n$vendor thing $end\n1!\n",
        &["#5 1! b1 $ende", "thing", "0=1'h1"],
    );
}

#[test]
fn times_reach_64_bits() {
    reads(
        "#0\n#1234567\n#12345678\n#1234567890123456\n#18446744073709551615\n",
        &[
            "#0",
            "#1234567",
            "#12345678",
            "#1234567890123456",
            "#18446744073709551615",
        ],
    );
    fails(
        "#18446744073709551616\n",
        &[],
        "[vcd] expected a time below 2^64, found `1844",
    );
}

#[test]
fn a_time_may_be_repeated_but_not_go_back() {
    reads("#5\n#5\n", &["#5", "#5"]);
    fails(
        "#5\n#4\n",
        &["#5"],
        "[vcd] expected a time not below #5, found `4` (line 3, byte ",
    );
}

#[test]
fn a_truncated_dump_yields_its_whole_changes() {
    fails(
        "#1\n1!\nb101",
        &["#1", "0=1'h1"],
        "[vcd] expected an identifier code",
    );
    fails(
        "#1\n1!\nb",
        &["#1", "0=1'h1"],
        "[vcd] expected an identifier code",
    );
    fails("#1\n1", &["#1"], "[vcd] expected an identifier code");
    fails(
        "#1\n$comm",
        &["#1"],
        "[vcd] expected `$end`, found the end of the dump",
    );
    fails("#1\n#", &["#1"], "[vcd] expected a time");
}

#[test]
fn values_may_not_be_longer_than_their_signal() {
    reads("b11111111 \"\n", &["1=8'hff"]);
    fails(
        "b111111111 \"\n",
        &[],
        "[vcd] expected at most 8 binary digits, found `111111111`",
    );
    fails(
        "b11 !\n",
        &[],
        "[vcd] expected at most 1 binary digits, found `11`",
    );
}

#[test]
fn what_is_no_change_is_refused() {
    fails(
        "q!\n",
        &[],
        "[vcd] expected a value change, a time or a command, found `q!`",
    );
    fails("2!\n", &[], "[vcd] expected a value change");
    fails("1 !\n", &[], "[vcd] expected an identifier code");
    fails(
        "1&\n",
        &[],
        "[vcd] expected an identifier code that a `$var` declared, found `&`",
    );
    fails(
        "1!\u{7f}\n",
        &[],
        "[vcd] expected white space, found `\\x7f`",
    );
    fails("b12 \"\n", &[], "[vcd] expected binary digits, found `2`");
    fails("b \"\n", &[], "[vcd] expected binary digits");
    fails(
        "r1.2.3 #\n",
        &[],
        "[vcd] expected a real number, found `1.2.3`",
    );
    fails("#1a\n", &[], "[vcd] expected white space, found `a`");
    fails("#-1\n", &[], "[vcd] expected a time below 2^64, found `-1`");
    fails(
        "$end\n",
        &[],
        "[vcd] expected an open `$dump` section for `$end`, found `$end`",
    );
    fails(
        "$var wire 1 ! a $end\n",
        &[],
        "[vcd] expected a value change",
    );
    fails(
        "$dumpports\n",
        &[],
        "[vcd] expected a four-state dump (not `$dumpports`)",
    );
}

#[test]
fn an_error_is_told_again() {
    let text = b"$var wire 1 ! a $end $enddefinitions $end\n1!\nnonsense\n1!\n";
    let mut slice = Slice::new(text).unwrap();
    let first = slice.for_each(|_| {}).unwrap_err().to_string();
    assert_eq!(slice.for_each(|_| {}).unwrap_err().to_string(), first);
}

fn variable(declaration: &str) -> (String, Option<BitRange>, u32, VarKind) {
    let text = format!("$var {declaration} $end $enddefinitions $end\n");
    let slice = Slice::new(text.as_bytes()).unwrap();
    let variable = &slice.header().variables()[0];
    (
        variable.name().to_owned(),
        variable.range(),
        variable.width(),
        variable.kind(),
    )
}

#[test]
fn names_and_ranges_of_variables() {
    let range = |msb, lsb| Some(BitRange { msb, lsb });
    for (reference, name, expected) in [
        ("data", "data", None),
        ("data [7:0]", "data", range(7, 0)),
        ("data[7:0]", "data", range(7, 0)),
        ("data [0:7]", "data", range(0, 7)),
        ("data\n[ 7 : 0 ]", "data", range(7, 0)),
        ("data [-1:-8]", "data", range(-1, -8)),
        ("data [3]", "data", range(3, 3)),
        ("data[3]", "data[3]", None),
        ("memory[3] [7:0]", "memory[3]", range(7, 0)),
        ("memory[3][7:0]", "memory[3]", range(7, 0)),
        ("slice[3:0]", "slice[3:0]", None),
        ("\\escaped[7:0]", "escaped[7:0]", None),
        ("\\escaped[1] [7:0]", "escaped[1]", range(7, 0)),
        ("\\two words!\\", "two words!", None),
        ("[7:0]", "[7:0]", None),
    ] {
        let found = variable(&format!("wire 8 ! {reference}"));
        assert_eq!((found.0.as_str(), found.1), (name, expected), "{reference}");
    }
}

#[test]
fn kinds_of_variables() {
    assert_eq!(variable("trireg 8 ! a").3, VarKind::Trireg);
    assert_eq!(variable("shortint 16 ! a").3, VarKind::ShortInt);
    assert_eq!(variable("new_kind 1 ! a").3, VarKind::Other);
}

#[test]
fn variables_of_one_code_are_one_signal_as_wide_as_the_widest() {
    let text = b"$var wire 4 ! a $end $var wire 8 ! b $end $enddefinitions $end\nb10100101 !\n";
    let mut slice = Slice::new(text).unwrap();
    let header = slice.header().clone();
    assert_eq!(header.signal_count(), 1);
    let (a, b) = (header.find("a").unwrap(), header.find("b").unwrap());
    slice
        .for_each(|event| {
            if let Event::Change(_, value) = event {
                assert_eq!(a.value(value).to_u64(), Some(0x5));
                assert_eq!(b.value(value).to_u64(), Some(0xa5));
            }
        })
        .unwrap();
}

#[test]
fn time_scales_of_every_form() {
    for (text, number, exponent) in [
        ("1 ns", 1, -9),
        ("10ps", 10, -12),
        ("100\n\tus", 100, -6),
        ("1s", 1, 0),
        ("1fs", 1, -15),
    ] {
        let text = format!("$timescale {text} $end $enddefinitions $end\n");
        let slice = Slice::new(text.as_bytes()).unwrap();
        assert_eq!(
            slice.header().timescale(),
            Some(Timescale { number, exponent })
        );
    }
}

#[test]
fn a_signal_of_no_bits_has_an_empty_value() {
    let text = b"$var reg 0 ! null [-1:0] $end $enddefinitions $end\nb !\n";
    let mut slice = Slice::new(text).unwrap();
    let event = slice.events().next().unwrap().unwrap();
    let Event::Change(_, ValueRef::Bits(bits)) = event else {
        panic!("{event:?}")
    };
    assert_eq!((bits.width(), bits.bit(0)), (0, None::<State>));
}

#[track_caller]
fn header_fails(text: &str, message: &str) {
    assert_eq!(
        Slice::new(text.as_bytes()).unwrap_err().to_string(),
        message
    );
}

#[test]
fn faults_among_the_declarations_are_told() {
    header_fails(
        "$var wire 99999999 ! a $end",
        "[vcd] expected a size in bits, at most 16777216, found `99999999` (line 1, byte 10)",
    );
    header_fails(
        "$var wire 1 ! $end",
        "[vcd] expected a name, found `$end` (line 1, byte 14)",
    );
    header_fails(
        "$scope $end",
        "[vcd] expected a scope type, found `$end` (line 1, byte 7)",
    );
    header_fails(
        "\n$upscope $end",
        "[vcd] expected an open scope for `$upscope`, found `$end` (line 2, byte 10)",
    );
    header_fails(
        "$timescale 1 parsec $end",
        "[vcd] expected a unit of time (s, ms, us, ns, ps, fs), found `parsec` (line 1, byte 13)",
    );
    header_fails(
        "$date today",
        "[vcd] expected `$end`, found the end of the dump (line 1, byte 11)",
    );
    header_fails(
        "",
        "[vcd] expected a declaration command or `$enddefinitions`, found the end of the dump \
         (line 1, byte 0)",
    );
    header_fails(
        "#0\n1!\n",
        "[vcd] expected a declaration command or `$enddefinitions`, found `#0` (line 1, byte 0)",
    );
    header_fails(
        &"$scope module a $end ".repeat(5000),
        "[vcd] expected at most 4096 nested scopes, found `module` (line 1, byte 86023)",
    );
}
