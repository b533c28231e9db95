#include "simd.h"
static int64_t tile_tasks(const void *param) { (void)param; return 1; }
static void tile_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end) { (void)param; (void)ptr; (void)scratch; (void)begin; (void)end; }
const Kernel K(kernel_tile) = { tile_tasks, tile_run, NULL };
void K(tile_box)(const TileProgram *p, void *const *ptr, const int64_t *lo, const int64_t *hi, void *scratch) { (void)p; (void)ptr; (void)lo; (void)hi; (void)scratch; }
