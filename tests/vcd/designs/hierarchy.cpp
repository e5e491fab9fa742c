// Twenty-four cycles of 10 ticks; reset is released after two.
#include <memory>
#include "Vlockstep_dut.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

int main(int argc, char** argv) {
    const auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    context->traceEverOn(true);
    const auto dut = std::make_unique<Vlockstep_dut>(context.get(), "TOP");
    VerilatedVcdC trace;
    dut->trace(&trace, 99);
    trace.open(argv[1]);
    for (int cycle = 0; cycle < 24; cycle++) {
        dut->rst_ni = cycle >= 2;
        dut->clk_i = 0;
        dut->eval();
        trace.dump(10 * cycle);
        dut->clk_i = 1;
        dut->eval();
        trace.dump(10 * cycle + 5);
    }
    dut->final();
    trace.close();
}
