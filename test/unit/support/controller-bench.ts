import type { Controller } from '#lib/loop/controller.ts';
import type { LoopBench } from './loop-bench.ts';
import { settle } from './manual-timers.ts';

/** Blocks requests until they are released, and counts the blocked ones. */
export const gate = (bench: LoopBench) => {
  const waiting: (() => void)[] = [];
  bench.api.before = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    await promise;
  };
  const open = async (): Promise<void> => {
    waiting.splice(0).forEach((letThrough) => letThrough());
    await settle();
  };
  return { waiting, open };
};

/** Advances the time and delivers watch events, alternately. */
export const live = async (bench: LoopBench, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) {
    await bench.timers.advance(50);
    bench.catchUp();
  }
  await settle();
};

/** A running controller. */
export const started = (bench: LoopBench, options: { readonly concurrency?: number } = {}): Controller => {
  const controller = bench.controller(options);
  controller.start();
  return controller;
};
