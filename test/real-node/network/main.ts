/** Runs inside the namespaces of a node: the registry of its images, and the inner end of the relay. */
import { createRegistry } from './registry.ts';
import { createInnerRelay, relaySocket } from './relay.ts';

const [folder = '', port = ''] = process.argv.slice(2);
createRegistry(folder).listen(Number(port), '127.0.0.1');
createInnerRelay().listen(relaySocket(folder));
