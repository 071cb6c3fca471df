import { CustomResource } from '../custom-resource.ts';
import { podSet } from './kind.ts';

/**
 * The construct that adds a PodSet to a chart.
 *
 * @example
 * new PodSet(chart, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
 */
export class PodSet extends CustomResource(podSet) {}
