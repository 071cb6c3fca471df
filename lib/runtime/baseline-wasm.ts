import { setFlagsFromString } from 'node:v8';

/** The first flag alone has no effect, and with the second flag alone, V8 optimizes each function at once. */
const FLAGS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Keeps V8 from optimizing WebAssembly in this process. The HTTP parser of undici is WebAssembly, and V8 would optimize the parser
 * after some 30 responses. For this, V8 needs 40 ms of CPU time, and up to 22 MiB of memory, of which 12 MiB stay resident. The
 * optimized parser saves about 1 µs per response (Node 24.21).
 *
 * Assumptions: the caller opens its connections later, because V8 has already prepared earlier code for the optimization.
 *
 * Caveats: modules of Node.js that are loaded later are compiled again, because V8 prepared their code with other flags. A thread
 * that starts later takes 18 ms longer.
 */
export const keepWasmBaseline = (): void => FLAGS.forEach((flag) => setFlagsFromString(flag));
