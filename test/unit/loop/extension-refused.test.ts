import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { town } from '#test/unit/support/extension-town.ts';
import { extensionOf, MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

const forbidden = new ApiError('apply configmaps', { httpStatus: 403, reason: 'Forbidden', message: 'no rights here' });

const names = Array.from({ length: 20 }, (_, index) => `team-${index + 1}`);

describe('an extension that cannot do its work', () => {
  it('without rights in one of twenty namespaces, only the parent there reports it, until the rights come', async () => {
    let isAllowed = false;
    const { api, start, settle, found, children, timers } = town(tenantWith({ annotation: true }));
    for (const name of names) found(name, { [TENANT]: '1' });
    api.mutate = (_request, body) => {
      if ((body as KubeObject).metadata?.namespace === 'team-7' && !isAllowed) throw forbidden;
      return body;
    };
    start();
    await settle();
    const marks = () =>
      names.map(
        (name) => (api.one(Namespace, name).metadata as { annotations?: Record<string, string> }).annotations?.[MARK],
      );
    expect(names.filter((name) => children(name).length === 0)).toEqual(['team-7']);
    expect(new Set(marks())).toEqual(new Set(['Ready: Configured', 'Progressing: Forbidden']));
    expect(marks()[6]).toBe('Progressing: Forbidden');
    isAllowed = true;
    await timers.advance(3_600_000);
    expect(children('team-7')).toEqual(['tenant-1']);
    expect(new Set(marks())).toEqual(new Set(['Ready: Configured']));
  });

  it('of a kind that does not exist, it waits for the kind, and is named among the problems; others work', async () => {
    const missing = { apiVersion: 'acme.io/v1', kind: 'Missing', plural: 'missings', scope: 'Namespaced' } as const;
    const { start, settle, found, children } = town(tenantWith(), extensionOf(missing, []));
    found('a', { [TENANT]: '1' });
    const manager = start();
    await settle();
    expect(children('a')).toEqual(['tenant-1']);
    expect(manager.isReady()).toBe(true);
    expect(manager.problems()).toMatchObject([{ resource: 'missings.acme.io', trouble: { cause: 'refused' } }]);
  });
});
