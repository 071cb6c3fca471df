/** The process of an operator that `dev` starts; its argument is the id of the process of `dev`. */
import { keepCompiled } from '../compile-cache.ts';

keepCompiled();
const { serveDev } = await import('./serve.ts');
await serveDev(Number(process.argv[2]));
