/** Entry point of a process that runs parts of a check; its argument is the process id of `check`. */
import { keepCompiled } from '../../../compile-cache.ts';

keepCompiled();
const { serveParts } = await import('./serve-parts.ts');
serveParts(Number(process.argv[2]));
