import { kubernetesMinor } from './recipe.ts';

/** Versions before 1.32 have the feature gate WatchList off by default, and so has 1.33. */
const WITHOUT: ReadonlySet<string> = new Set(['1.30', '1.31', '1.33']);

/**
 * Whether the API server of the tests serves watch-lists.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ (WatchList)
 */
export const hasWatchLists = (): boolean => !WITHOUT.has(kubernetesMinor());
