import { brokenKinds } from './kinds.ts';

export default { kinds: brokenKinds };
