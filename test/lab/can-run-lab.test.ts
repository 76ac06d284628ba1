import { expect, test } from 'vitest'
import { canRunLab, type Machine } from './can-run-lab.ts'

const MACHINE: Machine = {
  platform: 'linux',
  userId: 0,
  environment: { PATH: '/usr/bin:/opt/go/bin' },
  exists: () => true,
}

test('can run on Linux as root', () => {
  expect(canRunLab({}, MACHINE)).toBeUndefined()
})

test.for<[string, Partial<Machine>]>([
  ['it needs Linux, and this is "darwin"', { platform: 'darwin' }],
  ['it needs root', { userId: 1000 }],
  ['it needs control groups at /sys/fs/cgroup', { exists: (path) => !path.startsWith('/sys') }],
  ['it needs go', { exists: (path) => !path.endsWith('/go') }],
  ['it needs apt-get, dpkg-deb', { exists: (path) => !/apt-get|dpkg-deb/.test(path) }],
])('says that %s', ([reason, change]) => {
  expect(canRunLab({}, { ...MACHINE, ...change })).toBe(reason)
})

test('needs nothing when there is a cluster to use, unless it has to be a cluster of its own', () => {
  const machine = { ...MACHINE, userId: 1000, environment: { VPLANE_TEST_KUBECONFIG: '/file' } }

  expect(canRunLab({}, machine)).toBeUndefined()
  expect(canRunLab({ isOwn: true }, machine)).toBe('it needs root')
})
