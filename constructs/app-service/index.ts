import { CustomResource } from '../custom-resource.ts';
import { appService } from './kind.ts';

/**
 * The construct that adds an AppService to a chart.
 *
 * @example
 * new AppService(chart, 'shop', { metadata: { name: 'shop' }, spec: { replicas: 3 } });
 */
export class AppService extends CustomResource(appService) {}
