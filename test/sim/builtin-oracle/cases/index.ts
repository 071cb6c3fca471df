import type { Case } from '../case.ts';
import { acceptedPods } from './accepted-pods.ts';
import { autoscalerCases } from './autoscalers.ts';
import { changedPods } from './changed-pods.ts';
import { claimCases } from './claims.ts';
import { classCases } from './classes.ts';
import { cronJobs } from './cron-jobs.ts';
import { dataCases } from './data.ts';
import { endpointSliceCases } from './endpoint-slices.ts';
import { jobs } from './jobs.ts';
import { limitRangeCases } from './limit-ranges.ts';
import { networking } from './networking.ts';
import { nodes } from './nodes.ts';
import { quotaAdmission, quotas } from './quotas.ts';
import { refusedPods } from './refused-pods.ts';
import { services } from './services.ts';
import { sets } from './sets.ts';
import { volumeCases } from './volumes.ts';
import { workloads } from './workloads.ts';

/** All cases for the real API server. */
export const cases: readonly Case[] = [
  ...acceptedPods,
  ...refusedPods,
  ...changedPods,
  ...workloads,
  ...dataCases,
  ...networking,
  ...nodes,
  ...services,
  ...sets,
  ...claimCases,
  ...quotas,
  ...quotaAdmission,
  ...limitRangeCases,
  ...jobs,
  ...cronJobs,
  ...classCases,
  ...endpointSliceCases,
  ...autoscalerCases,
  ...volumeCases,
];
