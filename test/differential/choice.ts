import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { Bodies } from './generate-bodies.ts';
import type { KindUnderTest } from './kinds/kind-under-test.ts';
import type { Random } from './random.ts';

/** What one step is made of. */
export interface Choice {
  readonly random: Random;
  readonly subject: KindUnderTest;
  readonly bodies: Bodies;
  /** Without namespace when the kind has none. */
  readonly where: Pick<ServerRequest, 'resource' | 'namespace'>;
  readonly name: string;
  /** Whether an earlier step has probably made it. */
  readonly isMade: boolean;
  readonly id: number;
}

/** How memories name an object. */
export const keyOf = ({ subject, name }: Choice): string => `${subject.resource.plural}/${name}`;
