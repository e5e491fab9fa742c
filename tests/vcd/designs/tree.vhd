-- A tree of instances, blocks and generated scopes, with the same names at every level.
entity node is
  generic (depth : natural);
  port (clk : in bit; count : out natural);
end entity;

architecture rtl of node is
  signal left, right, own : natural := 0;
begin
  below : if depth > 0 generate
    l : entity work.node generic map (depth - 1) port map (clk, left);
    r : entity work.node generic map (depth - 1) port map (clk, right);
  end generate;
  own_part : block
    signal \own part\ : bit := '0';
  begin
    process (clk) begin
      if clk'event and clk = '1' then
        own <= (own + depth + 1) mod 64;
        \own part\ <= not \own part\;
      end if;
    end process;
  end block;
  count <= (left + right + own) mod 256;
end architecture;

entity tree is end entity;

architecture test of tree is
  signal clk : bit := '0';
  signal count : natural;
begin
  clk <= not clk after 10 ns when now < 250 ns else '0';
  u_root : entity work.node generic map (3) port map (clk, count);
end architecture;
