import type { Case } from '../case.ts';
import { dataCases } from './data.ts';
import { acceptedPods, changedPods, refusedPods } from './pods.ts';
import { quotaAdmission, quotas } from './quotas.ts';
import { services } from './services.ts';
import { workloads } from './workloads.ts';

/** Everything that the real API server is asked about. */
export const cases: readonly Case[] = [
  ...acceptedPods,
  ...refusedPods,
  ...changedPods,
  ...workloads,
  ...dataCases,
  ...services,
  ...quotas,
  ...quotaAdmission,
];
