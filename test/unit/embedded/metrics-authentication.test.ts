import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { describeMetricsAuthentication } from '#test/contract/metrics-authentication.ts';

let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
}, 60_000);

afterAll(async () => cluster?.close());

describeMetricsAuthentication('the embedded cluster', () => ({ ...cluster, token: cluster.adminToken }));
