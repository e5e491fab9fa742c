-- A resolved bus with several drivers: weak and strong states, Z between, of all widths.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity driver is
  generic (number : natural);
  port (turn : in natural; data : inout std_logic_vector(11 downto 0); ready : inout std_logic);
end entity;

architecture rtl of driver is
begin
  data <= std_logic_vector(to_unsigned(turn * 37 + number, 12)) when turn mod 4 = number else (others => 'Z');
  ready <= '0' when turn mod 5 = number else 'H';
end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity bus_of is end entity;

architecture test of bus_of is
  signal turn : natural := 0;
  signal data : std_logic_vector(11 downto 0);
  signal ready : std_logic;
  signal weak : std_logic_vector(0 to 3) := "LHWZ";
  signal bits : bit_vector(32 downto 0) := (others => '0');
begin
  drivers : for number in 0 to 2 generate
    u : entity work.driver generic map (number) port map (turn, data, ready);
  end generate;
  data <= "LLLLHHHHLHLH";
  process begin
    for step in 1 to 25 loop
      wait for step * 1 ns;
      turn <= step;
      weak <= weak(1 to 3) & weak(0);
      bits <= bits(31 downto 0) & not bits(32);
      if step = 9 then data <= (others => 'X'); elsif step = 11 then data <= (others => 'Z'); end if;
    end loop;
    wait;
  end process;
end architecture;
