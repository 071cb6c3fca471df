import { describe, expect, it } from 'vitest';
import { refusedAddress } from '#lib/desired/hosts/refused-address.ts';

describe('refusedAddress()', () => {
  it.each([
    'http://prometheus.monitoring.svc:9090',
    'http://prometheus.monitoring.svc.cluster.local/below',
    'https://hooks.example.com/x?y=z',
    'http://10.0.0.1:9090',
    'http://127.0.0.1:9090',
    'http://[fd00::1]:9090',
    'http://metadata.example.com',
  ])('refusedAddress() lets %s pass', (address) => {
    expect(refusedAddress(address)).toBeUndefined();
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.1.2',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://METADATA.google.internal./',
    'http://metadata/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://[::ffff:100.100.100.200]/',
  ])('refusedAddress() refuses %s, where credentials of the node lie', (address) => {
    expect(refusedAddress(address)).toMatch(/are refused/);
  });

  it.each(['ftp://example.com', 'example.com', '', 'http://', 'file:///etc/passwd'])(
    'refusedAddress() refuses %j, which is no http address',
    (address) => {
      expect(refusedAddress(address)).toMatch(/http/);
    },
  );

  it('refusedAddress() refuses a user in the address', () => {
    expect(refusedAddress('https://user:secret@example.com/')).toMatch(/Secret/);
  });
});
