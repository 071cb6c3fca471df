import { CustomResource } from '../custom-resource.ts';
import { canaryRollout } from './kind.ts';

/**
 * The construct that adds a CanaryRollout to a chart.
 *
 * @example
 * new CanaryRollout(chart, 'web', {
 *   metadata: { name: 'web' },
 *   spec: { replicas: 10, template, steps: [{ percent: 10, sleep: 60 }, { percent: 60, sleep: 30 }] },
 * });
 */
export class CanaryRollout extends CustomResource(canaryRollout) {}
