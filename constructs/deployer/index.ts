import { CustomResource } from '../custom-resource.ts';
import { deployer } from './kind.ts';

/**
 * The construct that adds a Deployer to a chart.
 *
 * @example
 * new Deployer(chart, 'nginx', {
 *   metadata: { name: 'nginx' },
 *   spec: { deployment: { name: 'nginx', image: 'nginx', version: '1.7.8', replicas: 10 }, steps: [{ percent: 10, sleep: 60 }] },
 * });
 */
export class Deployer extends CustomResource(deployer) {}
