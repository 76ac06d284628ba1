import { expect, test } from 'vitest'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  formatVersion,
  knownKubernetesVersions,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('knows several minors, newest first, and takes 1.36 by default', () => {
  const minors = knownKubernetesVersions().map((version) => parseKubernetesVersion(version).minor)

  expect(minors.length).toBeGreaterThanOrEqual(3)
  expect(minors).toEqual(minors.toSorted((left, right) => right - left))
  expect(DEFAULT_KUBERNETES_VERSION).toBe('1.36.3')
  expect(knownKubernetesVersions()).toContain(DEFAULT_KUBERNETES_VERSION)
})

test.for([
  ['1.36.3', '1.36.3'],
  ['v1.36.3', '1.36.3'],
  ['1.36.0', '1.36.0'],
  [' 1.35.4\n', '1.35.4'],
  ['1.34.99', '1.34.99'],
] as const)('reads %j as %s', ([text, version]) => {
  expect(formatVersion(parseKubernetesVersion(text))).toBe(version)
})

test.for(['1.37', '1.36', '1.35', '1.34'])('takes for %s alone the release it knows', (minor) => {
  const version = formatVersion(parseKubernetesVersion(minor))

  expect(knownKubernetesVersions()).toContain(version)
  expect(version).toMatch(new RegExp(`^${minor.replace('.', '\\.')}\\.\\d+$`))
  expect(formatVersion(parseKubernetesVersion(`v${minor}`))).toBe(version)
})

test.for([
  '',
  'latest',
  '1',
  '1.',
  '1.36.',
  '1.36.3.4',
  '2.36.3',
  '1.36.3-rc.1',
  '1.36.3+k3s1',
  '1.36.x',
  '-1.36',
  '1.-36',
  '1.036',
  '1.36.03',
  '1e3',
  '١.٣٦',
  '1.36.3; rm -rf /',
  '1.36\n1.35',
  '../1.36',
])('refuses %j, which is no version', (text) => {
  const error = thrownBy(() => parseKubernetesVersion(text))

  expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 })
  expect(error.message).toBe(`"${text}" is not a Kubernetes version`)
  expect(error.hints).toEqual([`known versions: ${knownKubernetesVersions().join(', ')}`])
})

test.for(['1.20', '1.33.1', '1.38', '1.99.0', '1.0'])('refuses %s, for lack of flags', (text) => {
  const error = thrownBy(() => parseKubernetesVersion(text))

  expect(error.code).toBe('USAGE')
  expect(error.message).toBe(`"${text}" is not a minor that vplane knows`)
})

test.for(knownKubernetesVersions())('knows an etcd release to run below %s', (version) => {
  expect(etcdVersionOf(parseKubernetesVersion(version))).toMatch(/^3\.6\.\d+$/)
})
