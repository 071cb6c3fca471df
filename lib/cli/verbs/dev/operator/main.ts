/** Entry point of the operator process that `dev` starts; its argument is the process id of `dev`. */
import { keepCompiled } from '../../../compile-cache.ts';

keepCompiled();
const { serveDev } = await import('./serve.ts');
await serveDev(Number(process.argv[2]));
