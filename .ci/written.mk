# Files that make writes by itself while it reads this Makefile, and only when the text is another one:
#   flags    flags, compiler and CPU: everything is compiled again when they change
#   *.list   the object files of a program: it is linked again when a source file comes or goes
#   and version, trees, include/heed.h, heed.pc, heedConfig.cmake, heedConfigVersion.cmake
same = $(and $(findstring [$(1)],[$(2)]),$(findstring [$(2)],[$(1)]))
keep = $(if $(call same,$(file <$(1)),$(2)),,$(shell mkdir -p $(dir $(1)))$(file >$(1),$(2)))

define newline


endef
define umbrella
// heed: all public headers, in reading order. Written by the Makefile.
#pragma once
$(subst " #,"$(newline)#,$(foreach h,$(HEADERS),#include "$(h)"))
endef
define pkgconfig
prefix=$(PREFIX)
includedir=$${prefix}/include
libdir=$${prefix}/lib

Name: heed
Description: a small deep-learning engine whose heart is efficient attention
Version: $(VERSION)
Cflags: -I$${includedir}/heed -std=c++20
Libs: -L$${libdir} -lheed -Wl,-rpath,$${libdir}
endef

define cmake_package
# find_package(heed) gives the target heed::heed. Written by the Makefile.
get_filename_component(heed_prefix "$${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET heed::heed)
  add_library(heed::heed SHARED IMPORTED)
  set_target_properties(heed::heed PROPERTIES
    IMPORTED_LOCATION "$${heed_prefix}/lib/libheed.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "$${heed_prefix}/include/heed"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
endef
define cmake_version
set(PACKAGE_VERSION $(VERSION))
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
endef

ifdef SETUP_DONE
compiler := $(shell $(CXX) $(ARCH) -E -v -x c++ /dev/null 2>&1 | grep -E '^gcc version|cc1plus')# names the CPU, too
$(call keep,$(BUILD)/flags,$(OPT) $(CALM_OPT) $(TEST_OPT) $(PCH) $(FLAGS) $(CXXFLAGS) $(compiler))
$(call keep,$(BUILD)/include/heed.h,$(umbrella))
$(call keep,$(BUILD)/heed.pc,$(pkgconfig))
$(call keep,$(BUILD)/heedConfig.cmake,$(cmake_package))
$(call keep,$(BUILD)/heedConfigVersion.cmake,$(cmake_version))
$(call keep,$(BUILD)/version,$(VERSION))
$(call keep,$(BUILD)/trees,$(TREES))
$(foreach part,lib bench tests,$(call keep,$(BUILD)/obj/$(part).list,$(LINK) $($(part)_obj) $(if $(filter tests,$(part)),$(tested_obj)) $(LIBS)))
$(foreach program,$(LARGE),$(call keep,$(BUILD)/obj/demos/$(program).list,$(LINK) $(call large_parts,$(program)) $(LIBS)))
endif
