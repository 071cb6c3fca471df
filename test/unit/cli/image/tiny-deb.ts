/**
 * A package for Debian, as `ar` and `xz` make it: a library with its symbolic link, a certificate, a license, a manual, a changelog,
 * and a maintainer script.
 */
export const tinyDeb = Buffer.from(
  [
    'ITxhcmNoPgpkZWJpYW4tYmluYXJ5LyAgMCAgICAgICAgICAgMCAgICAgMCAgICAgNjQ0ICAgICA0ICAgICAgICAgYAoyLjAKY29udHJv',
    'bC50YXIueHovIDAgICAgICAgICAgIDAgICAgIDAgICAgIDY0NCAgICAgMjc2ICAgICAgIGAK/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM',
    '4Cf/ANFdABcLvBx9AZXAHUo+eRW/ePpNkgZPp2Vm73L/U4/VkuoUdwq952+lgcPPlk/Oj7TPJMSx1g15VioBanaSGeyA/zP0sqyPHih2',
    'k9u2oibqRR2MfjsTvgiUzfukshYSgblL/Hld3F4hHNQZ4JlFG2vwZHWvff3RqMu9XkgMKyAfxc0HlFcZ4jjyhIxajdYUucGzLU0uSWPg',
    'A1bqIZIoHhuucy4L/vbxTuoi+M5LQfKiMQk8DFNgmhKfSvLlM2BCgUItuJnVRiGagwUhWLatA56MEl4AAAAAAGcjZJS902S1AAHtAYBQ',
    'AAC6bQrVscRn+wIAAAAABFlaZGF0YS50YXIueHovICAgIDAgICAgICAgICAgIDAgICAgIDAgICAgIDY0NCAgICAgNDY0ICAgICAgIGAK',
    '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4E//AZBdABcLvBx9AZXAHUo+eRW/ePpNkgZPp2Vm73L/U4/VkuoUdwq952+lhSWmDIcW64Iw',
    'jV8l0jZZhtCm9rnfuU0js/Dsi8w2L72TV+3jLuBYEE1ewKR7QDLsTWt/ak307X/Id2jKWCNX1vxqh35+kRGsHHMAFETFPRiQZSXoV0OB',
    'txE2k9qag5FidUjAM2e0NML4iPQt0vtSLLOIadRWxrdVlCye7tqUaXXiUxjsGOOqnnBfZ3xoLAI0hkVtMLsJpYxyDkOMA9SpqfWZF6sO',
    'DJnyFd/iydcqKK8LsOpzRxz0sO2Bg5bNQ1qel8oKs4Go00Xe2V5SjRmra78kncnRkC7WBT7wQpQjLZZo32T+JH6zwq5/nm2n5YuvsXQj',
    'dmLh+Z5o69qnBk67liE/jQAl8AB/XwpLmCeBQ4e2i3i3ZYh7Km3nTqNOu08sZzj7OS6YpiwPq08MPZhrIN+lni4M2mvX/iDBMrPs0xCg',
    'nelx0FIXTAl49y6DCO/IyymT4TpvDuHbf46LADK8qePLkXQaPiU6mAAAnAk3RTHRWaYAAawDgKABAIKlEcexxGf7AgAAAAAEWVo=',
  ].join(''),
  'base64',
);
