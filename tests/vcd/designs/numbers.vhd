-- Numbers: integers to their ends, reals, physical types, and times that are not a whole nanosecond.
entity numbers is end entity;

architecture test of numbers is
  type length_t is range 0 to 1000000 units um; mm = 1000 um; end units;
  subtype tiny_t is integer range -4 to 3;
  type list_t is array (natural range <>) of integer;
  signal least : integer := integer'low;
  signal most : integer := integer'high;
  signal tiny : tiny_t := -4;
  signal level : real := 1.0e-3;
  signal length : length_t := 0 um;
  signal moment : time := 0 fs;
  signal list : list_t(3 downto 1) := (1, 2, 3);
begin
  process
    variable value : integer := 1;
  begin
    for step in 1 to 24 loop
      wait for 1500 ps + step * 250 fs;
      value := (value * 1103 + 12345) mod 1000003;
      least <= integer'low + value;
      most <= integer'high - value;
      tiny <= value mod 8 - 4;
      level <= -level * 3.25;
      length <= value * 1 um mod (1000 mm);
      moment <= now;
      list(1 + step mod 3) <= -value;
    end loop;
    wait;
  end process;
end architecture;
