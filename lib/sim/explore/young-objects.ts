import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 allocate all new objects of this process in the young generation. By default, V8 allocates objects in the old
 * generation if most earlier objects of the same code have lived long. If V8 decides this for one object of a virtual cluster, the
 * object keeps the rest of its cluster until the next full garbage collection. Each minor collection then copies most of the
 * clusters, and a search takes up to twice the time and memory.
 *
 * Caveats: the setting holds for the rest of the process, and for all its threads.
 *
 * @see Clifford, Payer, Stanton, Titzer: Memento Mori: Dynamic Allocation-Site-Based Optimizations, ISMM 2015
 */
export const keepNewObjectsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring');
