import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { eventName, eventNamespaceOf, eventObject, reportingControllerOf } from '#lib/loop/events/event-object.ts';

const regarding = { apiVersion: 'v1', kind: 'Shelf', namespace: 'n', name: 'a', uid: 'u' };
const details = { name: 'a.1', at: '2026-11-21T09:30:00.000000Z', instance: 'i' };

describe('eventObject()', () => {
  it('truncates what the API server would refuse, whatever the text', () => {
    const text = fc.string({ maxLength: 3000, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, text, (reason, message, action, instance) => {
        const event = { regarding, type: 'Normal', reason, message, action } as const;
        const object = eventObject(event, { ...details, instance }) as Readonly<Record<string, string>>;
        expect(Buffer.byteLength(object['note'] ?? '')).toBeLessThanOrEqual(1024);
        for (const word of ['reason', 'action', 'reportingInstance']) {
          expect(object[word]?.length).toBeGreaterThan(0);
          expect(object[word]?.length).toBeLessThanOrEqual(128);
        }
      }),
    );
  });

  it('cuts a message between characters and shows that it did', () => {
    const event = { regarding, type: 'Normal', reason: 'R', message: 'ü'.repeat(600) } as const;
    expect(eventObject(event, details)).toMatchObject({ note: `${'ü'.repeat(510)}…` });
  });
});

describe('eventName()', () => {
  it('is a name that an object may have, whatever the subject is called', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?){0,3}$/);
    fc.assert(
      fc.property(name, (subject) => {
        expect(
          isDns1123Subdomain(eventName({ ...regarding, name: subject.slice(0, 253).replace(/[-.]+$/, '') }, 1e15)),
        ).toEqual([]);
      }),
    );
  });
});

describe('reportingControllerOf()', () => {
  it('is a qualified name, however long the kind is', () => {
    expect(reportingControllerOf({ kind: 'PodSet' })).toBe('cdk8s-reconcile/podset');
    expect(isQualifiedName(reportingControllerOf({ kind: 'K'.repeat(63) }))).toEqual([]);
  });
});

describe('namespaceOf()', () => {
  it('is default when the subject belongs to no namespace', () => {
    const { namespace: _namespace, ...clusterWide } = regarding;
    expect([eventNamespaceOf(regarding), eventNamespaceOf(clusterWide)]).toEqual(['n', 'default']);
  });
});
