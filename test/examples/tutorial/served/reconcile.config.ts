import { website } from './website.ts';

export default { kinds: [website] };
