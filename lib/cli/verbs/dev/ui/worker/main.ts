/** Entry point of the process that loads the kinds for one order of the live page; its argument is the process id of `dev`. */
import { keepCompiled } from '../../../../compile-cache.ts';

keepCompiled();
const { serveOrder } = await import('./serve-order.ts');
serveOrder(Number(process.argv[2]));
