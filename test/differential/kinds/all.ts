import { coreKinds } from './core.ts';
import { customResourceDefinitions } from './crd.ts';
import { gadgets, widgets } from './custom.ts';
import { batchKinds } from './jobs.ts';
import type { KindUnderTest } from './kind-under-test.ts';
import { workloads } from './workloads.ts';

/** Every kind of the sequences. */
export const allKinds: readonly KindUnderTest[] = [
  widgets,
  gadgets,
  ...workloads,
  ...batchKinds,
  ...coreKinds,
  customResourceDefinitions,
];
