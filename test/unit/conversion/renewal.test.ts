import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCertificates } from '#lib/conversion/certificate/certificate.ts';
import { type Certificates, renewed } from '#lib/conversion/certificate/renewal.ts';

const DAY_MS = 86_400_000;
const start = new Date('2026-01-01T00:00:00Z');
const hosts = ['op-conversion.op.svc'];
const on = (day: number): Date => new Date(start.getTime() + day * DAY_MS);
const at = (day: number, stored: Partial<Certificates>, names = hosts): Certificates =>
  renewed(stored, { now: on(day), hosts: names });
const leafOf = (each: Certificates): X509Certificate => new X509Certificate(each['tls.crt']);
const authoritiesOf = (each: Certificates): readonly X509Certificate[] => readCertificates(each['ca.crt']);
const isTrusted = (each: Certificates, bundle: Certificates): boolean =>
  authoritiesOf(bundle).some((authority) => leafOf(each).verify(authority.publicKey));

describe('renewed()', () => {
  const first = at(0, {});

  it('makes an authority and a certificate of the server when there is nothing', () => {
    const [authority] = authoritiesOf(first);
    const leaf = leafOf(first);
    expect(authority?.ca).toBe(true);
    expect(authority?.verify(authority.publicKey)).toBe(true);
    expect([leaf.ca, authority && leaf.checkIssued(authority), isTrusted(first, first)]).toEqual([false, true, true]);
    expect(leaf.checkHost('op-conversion.op.svc')).toBe('op-conversion.op.svc');
    expect(leaf.checkHost('other.op.svc')).toBeUndefined();
  });

  it('returns what it was given while nothing is to be done', () => {
    expect(at(59, first)).toBe(first);
  });

  it('replaces the certificate after two thirds of its life, by the same authority', () => {
    const next = at(61, first);
    expect(next['ca.crt']).toBe(first['ca.crt']);
    expect(leafOf(next).fingerprint256).not.toBe(leafOf(first).fingerprint256);
    expect(isTrusted(next, first)).toBe(true);
  });

  it.each([
    { what: 'a certificate for another name', stored: first, names: ['new.op.svc'] },
    { what: 'a key of something else', stored: { ...first, 'tls.key': at(0, {})['tls.key'] }, names: hosts },
    { what: 'no certificate', stored: { 'ca.crt': first['ca.crt'], 'ca.key': first['ca.key'] }, names: hosts },
    { what: 'nonsense for a certificate', stored: { ...first, 'tls.crt': 'nonsense' }, names: hosts },
  ])('replaces $what at once', ({ stored, names }) => {
    const next = at(1, stored, names);
    expect(next['ca.crt']).toBe(first['ca.crt']);
    expect([isTrusted(next, first), leafOf(next).checkHost(names[0] ?? '')]).toEqual([true, names[0]]);
  });

  it.each(['ca.key', 'ca.crt'] as const)('makes another authority when %s is lost', (lost) => {
    const next = at(1, { ...first, [lost]: '' });
    expect(authoritiesOf(next)[0]?.fingerprint256).not.toBe(authoritiesOf(first)[0]?.fingerprint256);
    expect(isTrusted(next, next)).toBe(true);
  });

  it('never serves what was not known for a day, and never forgets what may still be served, for six years', () => {
    const history: { readonly day: number; readonly state: Certificates }[] = [{ day: 0, state: first }];
    for (let day = 1; day < 6 * 365; day += 1) {
      const last = history.at(-1)?.state ?? first;
      const state = at(day, last);
      if (state !== last) history.push({ day, state });
      const leaf = leafOf(state);
      expect(leaf.validFromDate <= on(day) && on(day) < leaf.validToDate).toBe(true);
    }
    expect(history.length).toBeGreaterThan(30);
    expect(
      new Set(history.flatMap(({ state }) => authoritiesOf(state).map((each) => each.fingerprint256))).size,
    ).toBeGreaterThan(3);
    for (const [index, { state }] of history.entries()) {
      const before = history[index - 1]?.state ?? state;
      // A client may have the bundle of the previous step, and a server its certificate.
      expect([isTrusted(state, before), isTrusted(before, state)]).toEqual([true, true]);
      expect(authoritiesOf(state).length).toBeLessThanOrEqual(2);
    }
  });

  it('begins anew when everything has expired', () => {
    const next = at(3000, first);
    expect(authoritiesOf(next)).toHaveLength(1);
    expect(isTrusted(next, next)).toBe(true);
  });

  it('writes dates from 2050 on as RFC 5280 has it', () => {
    const late = renewed({}, { now: new Date('2049-12-01T00:00:00Z'), hosts });
    expect(leafOf(late).validToDate.toISOString()).toBe('2050-03-01T00:00:00.000Z');
  });
});
