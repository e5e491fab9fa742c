// The design of these tests, as a simulator takes it.
+incdir+include
-y cells +libext+.v+.sv
+define+SILENT_OUTPUT=832

/* the package first */
../../lockstep/rtl/idle_pkg.sv
silent_wrapper.sv
