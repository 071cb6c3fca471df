import { kubernetesMinor } from './recipe.ts';

/** Watch-lists are off by default before 1.32, and in 1.33. */
const WITHOUT_WATCH_LISTS: ReadonlySet<string> = new Set(['1.30', '1.31', '1.33']);

/**
 * Whether the API server of the tests serves watch-lists.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ (WatchList)
 */
export const hasWatchLists = (): boolean => !WITHOUT_WATCH_LISTS.has(kubernetesMinor());

/** Whether the API server of the tests serves MutatingAdmissionPolicies, in version `v1`: from 1.36 on. */
export const hasMutatingPolicies = (): boolean => Number(kubernetesMinor().split('.')[1]) >= 36;
