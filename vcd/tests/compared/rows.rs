//! The dumps, each with one trait, and what is right to read out of it.

/// How the dump comes to the readers.
pub enum Form {
    /// A file of this text.
    Text(&'static str),
    /// The same, compressed.
    Gzip(&'static str),
    Zstandard(&'static str),
    /// A pipe, in which nobody can seek.
    Pipe(&'static str),
    /// A file of `tests/vcd`.
    File(&'static str),
}

/// For each variable its path, and the ticks and values it takes: bits at full width, `r` before a real, `s` before a
/// string, `!` for a trigger.
pub type Values = &'static [(&'static str, &'static [(u64, &'static str)])];

pub enum Right {
    /// These values, and no error.
    Read(Values),
    /// These values, whether or not an error comes after them.
    Before(Values),
    /// An error.
    Told,
    /// The values that the `vcd` crate reads in another file of `tests/vcd`, and no error; but for `ASCENDING`.
    As(&'static str),
    /// No error, and a value at least.
    Something,
}

pub struct Row {
    pub what: &'static str,
    pub form: Form,
    pub right: Right,
}

const fn row(what: &'static str, text: &'static str, values: Values) -> Row {
    Row {
        what,
        form: Form::Text(text),
        right: Right::Read(values),
    }
}

const BIT: &str = "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n";
const BIT_VALUES: Values = &[("a", &[(0, "0"), (5, "1")])];

pub const STANDARD: &[Row] = &[
    row(
        "four states, short vectors extended",
        "$scope module top $end\n$var reg 4 ! v [3:0] $end\n$upscope $end\n$enddefinitions $end\n\
         #0\nbx !\n#1\nbz1 !\n#2\nb10 !\n#3\nbX1 !\n",
        &[(
            "top.v",
            &[(0, "xxxx"), (1, "zzz1"), (2, "0010"), (3, "xxx1")],
        )],
    ),
    row(
        "reals",
        "$var real 64 ! r $end\n$enddefinitions $end\n#0\nr0.5 !\n#1\nr-1.25e-3 !\n",
        &[("r", &[(0, "r0.5"), (1, "r-0.00125")])],
    ),
    row(
        "several names of one code",
        "$var wire 1 ! a $end\n$scope module sub $end\n$var wire 1 ! b $end\n$upscope $end\n\
         $enddefinitions $end\n#0\n0!\n#5\n1!\n",
        &[
            ("a", &[(0, "0"), (5, "1")]),
            ("sub.b", &[(0, "0"), (5, "1")]),
        ],
    ),
    row(
        "escaped names",
        "$scope module top $end\n$var wire 1 ! \\a+b $end\n$upscope $end\n$enddefinitions $end\n#0\n1!\n",
        &[("top.a+b", &[(0, "1")])],
    ),
    row(
        "escaped names that end like an index",
        "$scope module top $end\n$var wire 1 ! \\a+b[1] $end\n$upscope $end\n$enddefinitions $end\n#0\n1!\n",
        &[("top.a+b[1]", &[(0, "1")])],
    ),
    row(
        "changes before the first time, which are at 0",
        "$var wire 1 ! a $end\n$enddefinitions $end\n$dumpvars\n0!\n$end\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "a comment that looks like changes",
        "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n$comment\n#3 1!\n$end\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "the last time, 2^64 - 1",
        "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#18446744073709551615\n1!\n",
        &[("a", &[(0, "0"), (u64::MAX, "1")])],
    ),
    row(
        "CR LF at the end of lines",
        "$timescale 1 ns $end\r\n$var wire 1 ! a $end\r\n$enddefinitions $end\r\n#0\r\n0!\r\n#5\r\n1!\r\n",
        BIT_VALUES,
    ),
    row(
        "CR LF within a time scale",
        "$timescale\r\n1\r\nns\r\n$end\r\n$var wire 1 ! a $end\r\n$enddefinitions $end\r\n#0\r\n0!\r\n#5\r\n1!\r\n",
        BIT_VALUES,
    ),
    row(
        "all on one line",
        "$timescale 1 s $end $var wire 1 ! a $end $enddefinitions $end #0 0! #5 1! ",
        BIT_VALUES,
    ),
    row(
        "events: every trigger, several in a tick",
        "$var event 1 ! e $end\n$var wire 1 \" a $end\n$enddefinitions $end\n#0\n0\"\n#5\n1!\n1!\n1\"\n#10\n1!\n",
        &[
            ("a", &[(0, "0"), (5, "1")]),
            ("e", &[(5, "!"), (5, "!"), (10, "!")]),
        ],
    ),
    row(
        "events: no trigger in `$dumpvars` and `$dumpoff`",
        "$var event 1 ! e $end\n$var wire 1 \" a $end\n$enddefinitions $end\n\
         $dumpvars\nx!\n0\"\n$end\n#5\n1!\n#10\n$dumpoff\nx!\nx\"\n$end\n#20\n$dumpon\nx!\n1\"\n$end\n#25\n1!\n",
        &[
            ("a", &[(0, "0"), (10, "x"), (20, "1")]),
            ("e", &[(5, "!"), (25, "!")]),
        ],
    ),
];

pub const LOOSE: &[Row] = &[
    row(
        "vectors written bit by bit, as one: 0 and 1",
        "$scope module top $end\n$var wire 1 ! q [1] $end\n$var wire 1 \" q [0] $end\n$upscope $end\n\
         $enddefinitions $end\n#0\n0!\n0\"\n#5\n1!\n",
        &[("top.q", &[(0, "00"), (5, "10")])],
    ),
    row(
        "vectors written bit by bit, as one: x or z in all bits",
        "$scope module top $end\n$var wire 1 ! q [1] $end\n$var wire 1 \" q [0] $end\n$upscope $end\n\
         $enddefinitions $end\n#0\nx!\n0\"\n#5\n1!\n#7\nz\"\n",
        &[("top.q", &[(0, "x0"), (5, "10"), (7, "1z")])],
    ),
    row(
        "vectors written bit by bit, as one: x in some bits",
        "$scope module top $end\n$var wire 1 ! q [1] $end\n$var wire 1 \" q [0] $end\n$upscope $end\n\
         $enddefinitions $end\n#0\nx!\n0\"\n#5\n1!\n#7\n1\"\n",
        &[("top.q", &[(0, "x0"), (5, "10"), (7, "11")])],
    ),
    row(
        "vectors written bit by bit, as one: `[0]` first, so leftmost",
        "$scope module top $end\n$var wire 1 ! q [0] $end\n$var wire 1 \" q [1] $end\n$upscope $end\n\
         $enddefinitions $end\n#0\n0!\n0\"\n#5\n1!\n",
        &[("top.q", &[(0, "00"), (5, "10")])],
    ),
    row(
        "vectors written in pieces, as one",
        "$scope module top $end\n$var wire 2 ! q [3:2] $end\n$var wire 2 \" q [1:0] $end\n$upscope $end\n\
         $enddefinitions $end\n#0\nb1 !\nb0 \"\n#5\nb11 \"\n",
        &[("top.q", &[(0, "0100"), (5, "0111")])],
    ),
    Row {
        what: "a run with vectors and arrays, its bits in the form of Questa",
        form: Form::File("split/questa.vcd"),
        right: Right::As("split/whole.vcd"),
    },
    Row {
        what: "the same, in the form of VCS",
        form: Form::File("split/vcs.vcd"),
        right: Right::As("split/whole.vcd"),
    },
    Row {
        what: "the same, in the form of Riviera",
        form: Form::File("split/riviera.vcd"),
        right: Right::As("split/whole.vcd"),
    },
    Row {
        what: "the same, four bits at a time",
        form: Form::File("split/pieces.vcd"),
        right: Right::As("split/whole.vcd"),
    },
    row(
        "elements of arrays, index and range apart",
        "$var reg 2 ! mem [1] [1:0] $end\n$var reg 2 \" mem [0] [1:0] $end\n$enddefinitions $end\n#0\nb1 !\nb0 \"\n",
        &[("mem[0]", &[(0, "00")]), ("mem[1]", &[(0, "01")])],
    ),
    row(
        "zeros beyond the width",
        "$var wire 4 ! v [3:0] $end\n$var wire 1 \" a $end\n$enddefinitions $end\n#0\nb00000101 !\nb01 \"\n",
        &[("a", &[(0, "1")]), ("v", &[(0, "0101")])],
    ),
    row(
        "strings",
        "$var string 0 ! s $end\n$enddefinitions $end\n#0\nsidle !\n#5\nsgo !\n",
        &[("s", &[(0, "sidle"), (5, "sgo")])],
    ),
    row(
        "empty strings",
        "$var string 0 ! s $end\n$enddefinitions $end\n#0\nsidle !\n#5\ns !\n",
        &[("s", &[(0, "sidle"), (5, "s")])],
    ),
    row(
        "strings with escapes of C, resolved",
        "$var string 0 ! s $end\n$enddefinitions $end\n#0\nsgo\\x20on\\n !\n",
        &[("s", &[(0, "sgo on\n")])],
    ),
    row(
        "states of VHDL: `u`, `w`, `l`, `h`, `-`",
        "$var wire 1 ! a $end\n$var wire 4 \" v [3:0] $end\n$enddefinitions $end\n\
         #0\nu!\nbULHW \"\n#5\nh!\nb-100 \"\n#7\nl!\n",
        &[
            ("a", &[(0, "x"), (5, "1"), (7, "0")]),
            ("v", &[(0, "x01x"), (5, "x100")]),
        ],
    ),
    row(
        "extended identifiers of VHDL, with blanks",
        "$var wire 1 ! \\a b\\ $end\n$enddefinitions $end\n#0\n1!\n",
        &[("a b", &[(0, "1")])],
    ),
    row(
        "variables of SystemVerilog: `logic`, `int`",
        "$var logic 1 ! a $end\n$var int 32 \" i $end\n$enddefinitions $end\n#0\n0!\nb11111111111111111111111111111111 \"\n#5\n1!\n",
        &[
            ("a", &[(0, "0"), (5, "1")]),
            ("i", &[(0, "11111111111111111111111111111111")]),
        ],
    ),
    row(
        "variables of an unknown type",
        "$var shoe 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "scopes of type `struct`",
        "$scope struct top $end\n$var wire 1 ! a $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\n",
        &[("top.a", &[(0, "0")])],
    ),
    row(
        "scopes of type `vhdl_architecture`",
        "$scope vhdl_architecture top $end\n$var wire 1 ! a $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\n",
        &[("top.a", &[(0, "0")])],
    ),
    row(
        "scopes of an unknown type",
        "$scope shoe top $end\n$var wire 1 ! a $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\n",
        &[("top.a", &[(0, "0")])],
    ),
    row(
        "unknown sections among declarations",
        "$var wire 1 ! a $end\n$tool one two $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "unknown sections among changes",
        "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n$tool one two $end\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "`$enddefinitions` without `$end`",
        "$var wire 1 ! a $end\n$enddefinitions\n#0\n0!\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "`$dumpvars` without `$end`",
        "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "a byte order mark",
        "\u{feff}$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n",
        BIT_VALUES,
    ),
    row(
        "a last line without its end",
        "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n0!\n#5\n1!",
        BIT_VALUES,
    ),
];

/// Ends within the digits of a value.
const CUT_DIGITS: &str =
    "$var reg 8 ! v [7:0] $end\n$enddefinitions $end\n#0\nb1 !\n#5\nb10 !\n#10\nb11";

/// Ends within a code, and what is left of it is another one.
const CUT_CODE: &str = "$var reg 8 ! v [7:0] $end\n$var reg 8 !! w [7:0] $end\n$enddefinitions $end\n\
    #0\nb1 !\nb1 !!\n#10\nb11 !";

pub const CUT: &[Row] = &[
    Row {
        what: "cut off within digits: all before is read",
        form: Form::Text(CUT_DIGITS),
        right: Right::Before(&[("v", &[(0, "00000001"), (5, "00000010")])]),
    },
    Row {
        what: "cut off within digits: told",
        form: Form::Text(CUT_DIGITS),
        right: Right::Told,
    },
    Row {
        what: "cut off within a code, and what is left is another: not taken for it",
        form: Form::Text(CUT_CODE),
        right: Right::Before(&[("v", &[(0, "00000001")]), ("w", &[(0, "00000001")])]),
    },
    Row {
        what: "cut off within a code, and what is left is another: told",
        form: Form::Text(CUT_CODE),
        right: Right::Told,
    },
];

pub const FILES: &[Row] = &[
    Row {
        what: "from a pipe",
        form: Form::Pipe(BIT),
        right: Right::Read(BIT_VALUES),
    },
    Row {
        what: "compressed with gzip",
        form: Form::Gzip(BIT),
        right: Right::Read(BIT_VALUES),
    },
    Row {
        what: "compressed with Zstandard",
        form: Form::Zstandard(BIT),
        right: Right::Read(BIT_VALUES),
    },
    Row {
        what: "FST",
        form: Form::File("icarus-11/tricky.fst"),
        right: Right::Something,
    },
    Row {
        what: "GHW",
        form: Form::File("ghdl-2.0/kinds.ghw"),
        right: Right::Something,
    },
];
