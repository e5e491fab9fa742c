fn main() {
    #[cfg(feature = "rtl")]
    rtl();
}

#[cfg(feature = "rtl")]
fn rtl() {
    use verilator_sys::static_dut::StaticDutBuild;
    use verilator_sys::{Optimization, PortSizes, find::Search, verilate::Design};

    let build = StaticDutBuild {
        design: Design {
            sources: vec!["rtl/counter.sv".into()],
            top: "lockstep_dut".to_owned(),
            parameters: vec![("Step".to_owned(), "3".to_owned())],
            ..Design::default()
        },
        sizes: PortSizes { input: 12, output: 12, parameters: 4 },
        symbol: "bundled_dut".to_owned(),
        optimization: Optimization::Full,
    };
    let out_dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    if let Err(error) = build.compile(&Search::from_env(".tools"), out_dir.as_ref()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
