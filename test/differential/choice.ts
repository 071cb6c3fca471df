import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { Bodies } from './generate-bodies.ts';
import type { KindUnderTest } from './kinds/kind-under-test.ts';
import type { Random } from './random.ts';

/** The inputs of one step. */
export interface Choice {
  readonly random: Random;
  readonly subject: KindUnderTest;
  readonly bodies: Bodies;
  /** Without namespace for cluster-scoped kinds. */
  readonly where: Pick<ServerRequest, 'resource' | 'namespace'>;
  readonly name: string;
  /** Whether an earlier step has probably created the named object. */
  readonly isMade: boolean;
  readonly id: number;
}

/** The key of an object in memories. */
export const keyOf = ({ subject, name }: Choice): string => `${subject.resource.plural}/${name}`;
