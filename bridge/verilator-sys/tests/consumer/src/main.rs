//! Runs the design that build.rs linked in, and one from a shared library given as an argument.

#[cfg(feature = "rtl")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bundled = verilator_sys::static_library!(bundled_dut)?;
    let mut duts = vec![bundled.create()?, bundled.create_traced()?];
    for path in std::env::args_os().skip(1) {
        // SAFETY: the caller passes libraries that it built.
        duts.push(unsafe { verilator_sys::DutLibrary::load(path.as_ref()) }?.create_traced()?);
    }
    for dut in &mut duts {
        let mut outputs = [0; 24];
        let fatal = [1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        let inputs = [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], fatal].concat();
        let stop = dut.run(&inputs, &mut outputs).expect_err("stops in the second cycle");
        println!("{} {:?} {}", outputs[0], dut.parameters(), stop);
    }
    Ok(())
}

#[cfg(not(feature = "rtl"))]
fn main() {
    println!("without design");
}
