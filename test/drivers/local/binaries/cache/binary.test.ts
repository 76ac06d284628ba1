import { expect, test } from 'vitest'
import {
  BINARY_NAMES,
  checkedVersion,
  projectOf,
  titleOf,
} from '../../../../../src/drivers/local/binaries/cache/binary.ts'
import {
  parsePlatform,
  platformOf,
} from '../../../../../src/drivers/local/binaries/cache/platform.ts'
import { ETCD, KUBERNETES } from '../context.ts'

test('knows the project of each binary', () => {
  const projects = BINARY_NAMES.map((name) => [name, projectOf(name)])

  expect(Object.fromEntries(projects)).toEqual({
    etcd: 'etcd',
    etcdutl: 'etcd',
    'kube-apiserver': 'kubernetes',
    'kube-controller-manager': 'kubernetes',
    kubectl: 'kubernetes',
    kine: 'kine',
  })
})

test('names releases for users', () => {
  expect([titleOf(KUBERNETES), titleOf(ETCD)]).toEqual(['Kubernetes 1.36.3', 'etcd 3.6.16'])
})

const VERSIONS = [
  '1.36',
  'v1.36.3',
  '../1.36.3',
  '1.36.3/..',
  '1.36.3\n',
  '1.36.3-rc.1',
  '1.36.99999',
]

test.for(['', ...VERSIONS])('rejects the version "%s"', (version) => {
  expect(() => checkedVersion(version)).toThrow(expect.objectContaining({ code: 'USAGE' }))
})

test.for([
  ['linux', 'x64', { os: 'linux', arch: 'amd64' }],
  ['linux', 'arm64', { os: 'linux', arch: 'arm64' }],
  ['darwin', 'x64', { os: 'darwin', arch: 'amd64' }],
  ['darwin', 'arm64', { os: 'darwin', arch: 'arm64' }],
] as const)('names %s on %s as Go does', ([system, architecture, platform]) => {
  expect(platformOf(system, architecture)).toEqual(platform)
})

test('refers users of Windows to WSL', () => {
  expect(() => platformOf('win32', 'x64')).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED',
      hints: [expect.stringContaining('wsl --install')],
    }),
  )
})

test.for([
  ['freebsd', 'x64'],
  ['linux', 'riscv64'],
] as const)('does not support %s on %s', ([system, architecture]) => {
  expect(() => platformOf(system, architecture)).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  )
})

const OTHERS = ['linux', 'linux-mips', 'plan9-amd64', 'linux-amd64-old', '']

test.for(OTHERS)('finds no platform in "%s"', (text) => {
  expect(parsePlatform(text)).toBeUndefined()
})
