import { CustomResource } from '../custom-resource.ts';
import { immortalContainer } from './kind.ts';

/**
 * The construct that adds an ImmortalContainer to a chart.
 *
 * @example
 * new ImmortalContainer(chart, 'web', { metadata: { name: 'web' }, spec: { image: 'nginx:latest' } });
 */
export class ImmortalContainer extends CustomResource(immortalContainer) {}
