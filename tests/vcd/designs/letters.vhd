-- A character of each half of ISO 8859-1, one a nanosecond.
entity letters is
end entity;

architecture test of letters is
  signal letter : character := 'a';
  signal count : natural := 0;
begin
  process
  begin
    for code in 222 to 234 loop
      wait for 1 ns;
      letter <= character'val(code);
      count <= count + 1;
    end loop;
    wait for 1 ns;
    letter <= 'z';
    wait;
  end process;
end architecture;
