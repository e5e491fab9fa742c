//! Compiles the C++ half of the bridge; without the feature `runtime` there is none.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=VERILATOR_SYS_TARGET={target}");
    #[cfg(feature = "runtime")]
    bridge();
}

#[cfg(feature = "runtime")]
fn bridge() {
    for file in ["src/ffi.rs", "cpp/bridge.h", "cpp/bridge.cpp", "cpp/dut.h"] {
        println!("cargo::rerun-if-changed={file}");
    }
    cxx_build::bridge("src/ffi.rs")
        .file("cpp/bridge.cpp")
        .std("c++17")
        .warnings(true)
        .compile("verilator-sys-bridge");
}
