import { CustomResource } from '../custom-resource.ts';
import { podSet } from './kind.ts';

/**
 * A PodSet for a chart.
 *
 * @example
 * new PodSet(chart, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
 */
export class PodSet extends CustomResource(podSet) {}
