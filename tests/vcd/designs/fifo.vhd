-- Records within records, arrays of records, enumerations, and a package that all use.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package items is
  type kind_t is (none, word, burst, last);
  type place_t is record
    row : unsigned(2 downto 0);
    column : natural range 0 to 5;
  end record;
  type item_t is record
    kind : kind_t;
    place : place_t;
    data : std_logic_vector(15 downto 0);
    valid : boolean;
  end record;
  type items_t is array (0 to 3) of item_t;
  constant no_item : item_t := (none, ("000", 0), x"0000", false);
end package;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.items.all;

entity fifo is end entity;

architecture test of fifo is
  signal clk : std_ulogic := '0';
  signal items : items_t := (others => no_item);
  signal head, tail : unsigned(1 downto 0) := "00";
  signal newest : item_t := no_item;
begin
  clk <= not clk after 7 ns when now < 300 ns else '0';
  process (clk)
    variable step : natural := 0;
  begin
    if rising_edge(clk) then
      step := step + 1;
      newest <= (kind_t'val(step mod 4), (to_unsigned(step mod 8, 3), step mod 6),
                 std_logic_vector(to_unsigned(step * 523 mod 65536, 16)), step mod 3 /= 0);
      items(to_integer(head)) <= newest;
      head <= head + 1;
      if step mod 3 = 0 then
        items(to_integer(tail)).valid <= false;
        items(to_integer(tail)).data <= (others => 'X');
        tail <= tail + 1;
      end if;
    end if;
  end process;
end architecture;
