import { expect, test } from 'vitest'
import { parseSpec } from '../../../src/control-plane/spec/parse-spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** The spec in a file with this text. */
const inFile = (text: string) => parseSpec({ file: { path: 'plane.yaml', text } })

test('says nothing when nothing was said', () => {
  expect(parseSpec({})).toEqual({})
  expect(inFile('')).toEqual({})
  expect(inFile('# only a comment\n---\n')).toEqual({})
})

test('reads every field', () => {
  const spec = {
    version: '1.35',
    ephemeral: true,
    apiGroups: 'lean',
    serviceRange: '10.20.0.0/24',
    clusterDomain: 'plane.test',
    extraSans: ['plane.example.com', '*.example.com', '10.1.2.3', 'fd00::1'],
    pki: { algorithm: 'rsa' },
    authentication: { jwt: [{ issuer: { url: 'https://issuer.example.com' } }] },
    featureGates: { AllAlpha: true, APIResponseCompression: false },
    etcd: { extraArgs: { 'snapshot-count': '5000' }, goGc: 30 },
    apiServer: { extraArgs: { v: '4', 'tls-sni-cert-key': ['a,b', 'c,d'] } },
    controllerManager: { goGc: 1000 },
  }

  expect(inFile(JSON.stringify(spec))).toEqual(spec)
})

test('takes a reference to the schema for editors, and stores none', () => {
  expect(inFile('$schema: ./schemas/control-plane-spec.json\nversion: "1.36"\n')).toEqual({
    version: '1.36',
  })
})

test('is valid when a section is empty', () => {
  expect(parseSpec({ file: { path: 'a', text: 'apiServer: {}' } })).toEqual({ apiServer: {} })
})

test.for([
  ['version: 1.36', 'version: must be a string: put it in quotes'],
  ['version: "1.20"', 'version: "1.20" is not a minor that vplane knows; known are 1.36.3, '],
  ['version: latest', 'version: "latest" is not a Kubernetes version'],
  ['ephemeral: "yes"', 'ephemeral: expected boolean, received string'],
  ['apiGroups: some', 'apiGroups: Invalid option: expected one of "all"|"lean"'],
  ['idle: 30', 'idle: expected string, received number'],
  ['idle: soon', 'idle: is not a duration of a second or more, such as "30m"'],
  ['idle: 10ms', 'idle: is not a duration of a second or more'],
  ['serviceRange: 10.0.0.0', 'serviceRange: is not an IPv4 range'],
  ['serviceRange: 10.0.0.0/30', 'serviceRange: is not an IPv4 range of 8 addresses or more'],
  ['serviceRange: 10.0.0.0/33', 'serviceRange: is not an IPv4 range'],
  ['serviceRange: 10.0.0.256/24', 'serviceRange: is not an IPv4 range'],
  ['serviceRange: 0.0.0.0/0', 'serviceRange: is not an IPv4 range'],
  ['serviceRange: fd00::/108', 'serviceRange: is not an IPv4 range'],
  ['clusterDomain: "cluster local"', 'clusterDomain: is not a DNS domain'],
  ['clusterDomain: .local', 'clusterDomain: is not a DNS domain'],
  ['clusterDomain: Cluster.Local', 'clusterDomain: is not a DNS domain'],
  ['clusterDomain: "*.local"', 'clusterDomain: is not a DNS domain'],
  ['clusterDomain: 10.0.0.1', 'clusterDomain: is not a DNS domain'],
  ['clusterDomain: ""', 'clusterDomain: is not a DNS domain'],
  ['extraSans: plane.example.com', 'extraSans: expected array, received string'],
  ['extraSans: [a b]', 'extraSans.0: is neither a host name nor an IP address'],
  ['extraSans: [ok, "https://x"]', 'extraSans.1: is neither a host name nor an IP address'],
  ['extraSans: [1.2.3]', 'extraSans.0: is neither a host name nor an IP address'],
  ['extraSans: [fe80::1%eth0]', 'extraSans.0: is neither a host name nor an IP address'],
  ['pki: {algorithm: dsa}', 'pki.algorithm: Invalid option'],
  ['authentication: {jwt: {}}', 'authentication.jwt: expected array, received object'],
  ['authentication: {oidc: {}}', 'authentication: Unrecognized key: "oidc"'],
  ['featureGates: {AllAlpha: "true"}', 'featureGates.AllAlpha: expected boolean, received string'],
  ['featureGates: {"A=true,B": true}', 'is not the name of a feature gate'],
  ['etcd: {goGc: 5}', 'etcd.goGc: Too small: expected number to be >=10'],
  ['etcd: {goGc: 1.5}', 'etcd.goGc: expected int, received number'],
  ['etcd: {goGc: "50"}', 'etcd.goGc: expected number, received string'],
  ['apiServer: {extraArgs: {v: 4}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {v: [4]}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {v: null}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {--v: "4"}}', 'apiServer.extraArgs.--v: is not a flag name'],
  ['apiServer: {extraArgs: {a_b: "4"}}', 'apiServer.extraArgs.a_b: is not a flag name'],
  ['apiServer: {extraArgs: {V: "4"}}', 'apiServer.extraArgs.V: is not a flag name'],
  ['apiServer: {extraArgs: {v: "\\0"}}', 'apiServer.extraArgs.v: must not contain a NUL'],
  ['apiServer: [v]', 'apiServer: expected object, received array'],
  ['controllerManager: 5', 'controllerManager: expected object, received number'],
  ['warden: {}', 'Unrecognized key: "warden"'],
  ['"__proto__": {ephemeral: true}', 'Unrecognized key: "__proto__"'],
  ['constructor: {}', 'Unrecognized key: "constructor"'],
] as const)('refuses %s and says why', ([text, reason]) => {
  const error = thrownBy(() => inFile(text))

  expect(error).toMatchObject({ code: 'INVALID_SPEC', exitCode: 2 })
  expect(error.message).toMatch(/^plane\.yaml is not valid: /)
  expect(error.message).toContain(reason)
})

test('names every wrong field at once', () => {
  const text = 'version: 1.36\netcd: {goGc: 5, image: x}\nextraSans: ["", ok]\nfoo: 1\n'

  const { message } = thrownBy(() => inFile(text))

  for (const path of ['version: ', 'etcd.goGc: ', 'etcd: Unrecog', 'extraSans.0: ', '"foo"']) {
    expect(message).toContain(path)
  }
})

test.for([
  ['- version', 'plane.yaml is not a spec: it contains a list, not fields'],
  ['version', 'plane.yaml is not a spec: it contains the string "version", not fields'],
  ['42', 'plane.yaml is not a spec: it contains the number 42, not fields'],
  ['{', 'cannot read plane.yaml: '],
  ['a: 1\na: 2', 'cannot read plane.yaml: Map keys must be unique'],
  ['a: *missing', 'cannot read plane.yaml: '],
  ['a: 1\n---\nb: 2', 'cannot read plane.yaml: '],
] as const)('refuses the file %j', ([text, reason]) => {
  const error = thrownBy(() => inFile(text))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(reason)
})

test('does not unfold what was made to grow', () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const aliases = Array.from({ length: 9 }, () => `*a${level}`).join(', ')
    return `a${level + 1}: &a${level + 1} [${aliases}]`
  })

  const error = thrownBy(() => inFile(`a0: &a0 [x]\n${levels.join('\n')}\n`))

  expect(error.message).toContain('Excessive alias count')
})

test('never changes what all objects have in common', () => {
  inFile('featureGates: {"__proto__": true}')
  thrownBy(() => parseSpec({ set: ['featureGates.__proto__=true'] }))
  thrownBy(() => parseSpec({ set: ['constructor.prototype.ephemeral=true'] }))

  expect(Reflect.get({}, 'ephemeral')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})
