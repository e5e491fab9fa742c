// A module that no source of the list declares.
module silent_output (
  output [`SILENT_OUTPUT-1:0] data_o
);

  assign data_o = 0;

endmodule
