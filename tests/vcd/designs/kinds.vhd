-- What a VHDL dump can hold: all nine states, enumerations, reals, strings, ranges both ways.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity leaf is
  port (clk : in std_logic; data : in std_logic_vector(7 downto 0); q : out std_logic_vector(0 to 7));
end entity;

architecture rtl of leaf is
begin
  process (clk) begin
    if rising_edge(clk) then
      q <= data;
    end if;
  end process;
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity kinds is end entity;

architecture test of kinds is
  type state_t is (idle, armed, fired);
  type pair_t is record
    valid : std_logic;
    level : unsigned(3 downto 0);
  end record;
  type bank_t is array (0 to 1) of std_logic_vector(3 downto 0);
  signal clk : std_logic := '0';
  signal nine : std_logic_vector(8 downto 0) := "UX01ZWLH-";
  signal single : std_logic := 'U';
  signal wide : unsigned(129 downto 0) := (others => '0');
  signal state : state_t := idle;
  signal level : real := 0.0;
  signal number : integer := -1;
  signal small : natural range 0 to 15 := 0;
  signal flag : boolean := false;
  signal plain : bit := '0';
  signal plains : bit_vector(3 downto 0) := "0000";
  signal letter : character := 'a';
  signal label_text : string(1 to 5) := "hello";
  signal moment : time := 0 ns;
  signal pair : pair_t := ('0', "0000");
  signal bank : bank_t := (others => "0000");
  signal empty : std_logic_vector(-1 downto 0);
  signal q : std_logic_vector(0 to 7);
  signal \escaped name!\ : std_logic := '0';
begin
  clk <= not clk after 5 ns when now < 200 ns else '0';
  u_leaf : entity work.leaf port map (clk => clk, data => std_logic_vector(wide(7 downto 0)), q => q);
  lanes : for i in 0 to 1 generate
    signal lane : std_logic_vector(1 downto 0) := "00";
  begin
    lane <= std_logic_vector(wide(2 * i + 1 downto 2 * i));
  end generate;

  process (clk)
    constant states : std_logic_vector(0 to 8) := "UX01ZWLH-";
  begin
    if rising_edge(clk) then
      wide <= wide(128 downto 0) & not wide(129);
      nine <= nine(7 downto 0) & nine(8);
      small <= (small + 1) mod 16;
      single <= states(small mod 9);
      level <= level - 0.1;
      number <= -3 * number mod 1000 - 500;
      flag <= not flag;
      plain <= not plain;
      plains <= plains(2 downto 0) & not plains(3);
      if letter = 'z' then letter <= 'a'; else letter <= character'succ(letter); end if;
      moment <= now;
      pair.valid <= not pair.valid;
      pair.level <= pair.level + 3;
      bank(small mod 2) <= std_logic_vector(wide(3 downto 0));
      \escaped name!\ <= not \escaped name!\;
      case state is
        when idle => state <= armed; label_text <= "armed";
        when armed => state <= fired; label_text <= "fired";
        when fired => state <= idle; label_text <= "idle ";
      end case;
    end if;
  end process;
end architecture;
