import type { Case } from '../case.ts';
import { acceptedPods, changedPods, refusedPods } from './pods.ts';

/** Everything that the real API server is asked about. */
export const cases: readonly Case[] = [...acceptedPods, ...refusedPods, ...changedPods];
