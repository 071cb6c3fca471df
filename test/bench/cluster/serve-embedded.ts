import { startEmbeddedCluster } from '#lib/testing.ts';

// An embedded cluster in a process of its own, as kube-apiserver is: prints its address, and ends with its standard
// input.
const cluster = await startEmbeddedCluster();
const { url, ca, adminToken } = cluster;
console.log(JSON.stringify({ url, ca, adminToken }));
process.stdin.resume().on('end', () => void cluster.close());
