import type { CgroupHierarchy } from './cgroups.ts';

/** The address of the node in its own network. */
export const NODE_ADDRESS = '10.99.0.1';

/** The size of the disk for the volumes of pods, in MiB: three operator pods request 512 each. */
export const NODE_DISK_MIB = 2048;

/** The addresses of pods. */
export const POD_NETWORK = '10.244.0.0/24';

/**
 * Settings of the whole machine that a kubelet writes. Namespaces do not separate them, so the node gets files with the
 * values that the kubelet wants.
 */
const SYSCTLS = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
} as const;

/** The script that mounts file systems and creates networks inside new namespaces. */
export const setupScript = (folder: string, hierarchies: readonly CgroupHierarchy[]): string =>
  [
    // Volumes that a kubelet mounts must reach containers.
    'mount --make-rshared /',
    'mount -t sysfs sysfs /sys',
    'mount -t tmpfs -o mode=755 cgroups /sys/fs/cgroup',
    ...hierarchies.flatMap(({ controllers, mountPoint }) => [
      `mkdir -p ${mountPoint}`,
      `mount -t cgroup -o ${controllers} cgroup ${mountPoint}`,
    ]),
    'mount -t tmpfs -o mode=755 run /run',
    'mkdir -p /run/var/upper /run/var/work',
    'mount -t overlay -o lowerdir=/var,upperdir=/run/var/upper,workdir=/run/var/work overlay /var',
    `mkdir -p ${folder}/sysctl ${folder}/tmp ${folder}/kubelet`,
    // The disk of the node for the volumes of pods: a pod can fill it without harm to the machine.
    `mount -t tmpfs -o size=${NODE_DISK_MIB}m,mode=750 kubelet ${folder}/kubelet`,
    ...Object.entries(SYSCTLS).flatMap(([name, value]) => {
      const file = `${folder}/sysctl/${name.replaceAll('/', '.')}`;
      return [`echo ${value} > ${file}`, `mount --bind ${file} /proc/sys/${name}`];
    }),
    `cat /proc/sys/kernel/random/uuid > ${folder}/sysctl/boot-id`,
    `mount --bind ${folder}/sysctl/boot-id /proc/sys/kernel/random/boot_id`,
    'echo node-0 > /proc/sys/kernel/hostname',
    'ip link set lo up',
    // A bridge without ports holds the address of the node: not every kernel has dummy interfaces.
    'ip link add node0 type bridge',
    `ip address add ${NODE_ADDRESS}/32 dev node0`,
    'ip link set node0 up',
    // Packets to the address of a Service are sent only if there is a route. The rules of the Service then replace the address.
    'ip route add default dev node0',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
  ].join('\n');

/**
 * The script that leaves what a machine has after it is switched off and on: its disks and a new boot id. Processes, mounts of
 * pods, `/run` and the network of pods are gone; `/run/var` is the disk of `/var`.
 */
export const rebootScript = (folder: string): string =>
  [
    // Kills all processes except for the first one and this script.
    'kill -s KILL -- -1 || true',
    `for mount in $(cut -d ' ' -f 5 /proc/self/mountinfo | grep -E '^(/run|${folder}/kubelet)/' | sort -r); do`,
    '  umount --lazy $mount',
    'done',
    'find /run -mindepth 1 -maxdepth 1 ! -name var -exec rm -r {} +',
    'ip link delete cni0 || true',
    `rm -f ${folder}/relay.sock`,
    `cat /proc/sys/kernel/random/uuid > ${folder}/sysctl/boot-id`,
  ].join('\n');
