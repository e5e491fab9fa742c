localparam int unsigned Amount = 10;
