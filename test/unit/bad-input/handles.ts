import { Secret } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Deployment, Node } from '#lib/kind/handles/reference.ts';
import { kindWith } from '#test/unit/support/note-kind.ts';
import type { BadOperator } from './surroundings.ts';

/** Handles that a definition cannot have, and the errors. */
export const BAD_HANDLES: readonly BadOperator[] = [
  {
    reason: 'the handle of a child has a wrong plural',
    props: { kinds: [kindWith({ owns: [{ ...ConfigMap, plural: 'configmap' }] })] },
    rule: 'handle',
    path: 'Note owns',
  },
  {
    reason: 'the handle of a looked-up object has a wrong scope',
    props: { kinds: [kindWith({ reads: [{ ...Node, scope: 'Namespaced' }] })] },
    rule: 'handle',
    path: 'Note reads',
  },
  {
    reason: 'the kind of a child is misspelled',
    props: { kinds: [kindWith({ owns: [{ ...Deployment, kind: 'Deploymnet', plural: 'deploymnets' }] })] },
    rule: 'handle',
    path: 'Note owns',
  },
  {
    reason: 'look-ups elsewhere cover the Secrets of all namespaces',
    props: { kinds: [kindWith({ reads: [elsewhere(Secret, { namespaces: 'any' })] })] },
    rule: 'elsewhere',
    path: 'Note reads',
  },
];
