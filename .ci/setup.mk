# The set-up: .ci/setup finds or installs what heed is built from and writes setup.ok, once for all builds in build/.

ifneq ($(and $(filter clean,$(MAKECMDGOALS)),$(filter-out clean,$(MAKECMDGOALS))),)
$(if $(MAKE_RESTARTS),,$(shell rm -rf $(BUILD)))# `make clean test`: first the one, then the other
endif
SETUP := $(or $(wildcard build/setup.ok),$(BUILD)/setup.ok)
ifneq ($(or $(filter-out help clean format parts trees peer,$(MAKECMDGOALS)),$(if $(MAKECMDGOALS),,all)),)
include $(SETUP)
endif
$(SETUP): .ci/setup
	@CXX='$(CXX)' .ci/setup $@
