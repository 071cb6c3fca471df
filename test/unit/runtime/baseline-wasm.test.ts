import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keepWasmBaseline } from '#lib/runtime/baseline-wasm.ts';

/** `(module (func (export "run") (param i32) (loop local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0)))` */
const COUNTDOWN = '0061736d0100000001050160017f00030201000707010372756e00000a10010e000340200041016b22000d000b0b';

type Countdown = (count: number) => void;

/** As text: the types of Node.js do not declare `WebAssembly` as a value. */
const exportsOf = runInThisContext('(bytes) => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports') as (
  bytes: Buffer,
) => Readonly<Record<string, Countdown>>;

/**
 * Whether V8 still has only baseline code for a function that has run for a long time.
 *
 * @param name - the name of the function, three letters. V8 shares the code of modules with the same bytes.
 */
const isBaselineAfterWork = (name: string): boolean => {
  const bytes = COUNTDOWN.replace('72756e', Buffer.from(name).toString('hex'));
  const run = exportsOf(Buffer.from(bytes, 'hex'))[name] as Countdown;
  for (let turn = 0; turn < 5; turn += 1) run(1_000_000);
  const isBaseline = runInThisContext('(run) => %IsLiftoffFunction(run)') as (code: Countdown) => boolean;
  return isBaseline(run);
};

it('keepWasmBaseline() keeps V8 from optimizing WebAssembly that runs often', () => {
  // Another test in this process may have started a loop, which turns the optimization off.
  const flags = ['--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-sync-tier-up', '--allow-natives-syntax'];
  flags.forEach((flag) => setFlagsFromString(flag));
  expect(isBaselineAfterWork('run')).toBe(false);
  keepWasmBaseline();
  expect(isBaselineAfterWork('ran')).toBe(true);
});
