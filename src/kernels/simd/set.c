/* The table of one instruction set. */
#include "simd.h"

const KernelSet K(kernel_set) = {
	.isa = ISA_LEVEL == 4 ? ISA_V4 : ISA_LEVEL == 3 ? ISA_V3 : ISA_BASE,
	.panel = PANEL,
	.tile = &K(kernel_tile),
	.tile_box = K(tile_box),
};
