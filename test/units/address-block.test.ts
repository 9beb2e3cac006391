import assert from 'node:assert/strict';
import { BlockList, SocketAddress } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBlock } from '../../src/base/address-block.ts';

const cases: [address: string, block: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
  ['2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:0DB8:0000:0001::', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::9', '2001:db8:0:1::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::2:0:0:0:1', '2001:db8:0:2::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
  ['a:b', 'a:b'],
];
for (const [address, block] of cases) {
  test(`${address || 'nothing'} counts as ${block || 'nothing'}`, () => assert.equal(addressBlock(address), block));
}

test('two IPv6 addresses count as one exactly when their first 64 bits are the same', () => {
  const group = fc.constantFrom(0, 1, 0xffff, 0x10);
  const eight = fc.tuple(group, group, group, group, group, group, group, group);
  const written = (groups: number[]): string => groups.map((each) => each.toString(16)).join(':');
  fc.assert(
    fc.property(eight, eight, (one, other) => {
      const [left, right] = [written(one), written(other)];
      const isMapped = [left, right].some((each) => /^(0:){5}ffff:/.test(each));
      fc.pre(!isMapped);
      const network = new BlockList();
      network.addSubnet(left, 64, 'ipv6');
      assert.equal(addressBlock(left) === addressBlock(right), network.check(right, 'ipv6'));
      // However it is abbreviated.
      const short = new SocketAddress({ address: left, family: 'ipv6' }).address;
      assert.equal(addressBlock(short), addressBlock(left));
    }),
  );
});
