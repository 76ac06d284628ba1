import { expect, test } from 'vitest'
import { parseSpec } from '../../../src/control-plane/spec/parse-spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** The spec in a file with this text. */
const inFile = (text: string) => parseSpec({ file: { path: 'plane.yaml', text } })

test('says nothing when nothing was said', () => {
  expect(parseSpec({})).toEqual({})
  expect(inFile('')).toEqual({})
  expect(inFile('# only a comment\n---\n')).toEqual({})
  expect(inFile('apiServer: {}')).toEqual({ apiServer: {} })
})

test('reads every field', () => {
  const spec = {
    version: '1.35',
    ephemeral: true,
    store: { kine: { sqlite: {} } },
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

test.for([
  ['version: 1.36', 'version: must be a string: put it in quotes'],
  ['version: "1.20"', 'version: "1.20" is not a minor that vplane knows; known are 1.37.2, '],
  ['version: latest', 'version: "latest" is not a Kubernetes version'],
  ['ephemeral: "yes"', 'ephemeral: must be true or false, not the string "yes"'],
  ['ephemeral:', 'ephemeral: must be true or false, not nothing'],
  ['apiGroups: some', 'apiGroups: must be one of "all", "lean"'],
  ['idle: 30', 'idle: must be a string, not the number 30'],
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
  ['extraSans: plane.example.com', 'extraSans: must be a list, not the string "plane.example.com"'],
  ['extraSans: [a b]', 'extraSans.0: is neither a host name nor an IP address'],
  ['extraSans: [ok, "https://x"]', 'extraSans.1: is neither a host name nor an IP address'],
  ['extraSans: [1.2.3]', 'extraSans.0: is neither a host name nor an IP address'],
  ['extraSans: [fe80::1%eth0]', 'extraSans.0: is neither a host name nor an IP address'],
  ['pki: {algorithm: dsa}', 'pki.algorithm: must be one of "ecdsa", "rsa"'],
  ['authentication: {jwt: {}}', 'authentication.jwt: must be a list, not fields'],
  ['authentication: {oidc: {}}', 'unknown field "authentication.oidc"'],
  ['featureGates: {A: "true"}', 'featureGates.A: must be true or false, not the string'],
  ['featureGates: {"A=true,B": true}', 'is not the name of a feature gate'],
  ['etcd: {goGc: 5}', 'etcd.goGc: must be at least 10'],
  ['etcd: {goGc: 1001}', 'etcd.goGc: must be at most 1000'],
  ['etcd: {goGc: 1.5}', 'etcd.goGc: must be a whole number, not the number 1.5'],
  ['images: {helper: ""}', 'images.helper: must not be empty'],
  ['backup: {keep: {daily: 1}}', 'backup.schedule: must be set'],
  ['etcd: {goGc: "50"}', 'etcd.goGc: must be a number, not the string "50"'],
  ['apiServer: {extraArgs: {v: 4}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {v: [4]}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {v: null}}', 'apiServer.extraArgs.v: must be a string or a list of'],
  ['apiServer: {extraArgs: {--v: "4"}}', 'apiServer.extraArgs.--v: is not a flag name'],
  ['apiServer: {extraArgs: {a_b: "4"}}', 'apiServer.extraArgs.a_b: is not a flag name'],
  ['apiServer: {extraArgs: {V: "4"}}', 'apiServer.extraArgs.V: is not a flag name'],
  ['apiServer: {extraArgs: {v: "\\0"}}', 'apiServer.extraArgs.v: must not contain a NUL'],
  ['apiServer: [v]', 'apiServer: must be fields, not a list'],
  ['controllerManager: 5', 'controllerManager: must be fields, not the number 5'],
  ['warden: {}', 'unknown field "warden"'],
  ['"__proto__": {ephemeral: true}', 'unknown field "__proto__"'],
  ['constructor: {}', 'unknown field "constructor"'],
] as const)('refuses %s and says why', ([text, reason]) => {
  const error = thrownBy(() => inFile(text))

  expect(error).toMatchObject({ code: 'INVALID_SPEC', exitCode: 2 })
  expect(error.message).toMatch(/^plane\.yaml:1:\d+: /)
  expect(error.message).toContain(reason)
})

test('names every wrong field at once, with its line and column', () => {
  const text = `version: 1.36
apiSever:
  goGc: 30
etcd: {goGc: 5, image: x}
extraSans:
  - ok.example
  - ''
backup:
  store: s3://bucket/planes
foundation: &base
  goGC: 30
apiServer:
  extraArgs:
    v: 4
    --v: '4'
controllerManager: *base
`

  const { hints, message } = thrownBy(() => inFile(text))

  expect(message.split('\n')).toEqual([
    'plane.yaml:1:1: version: must be a string: put it in quotes, such as "1.36"',
    'plane.yaml:2:1: unknown field "apiSever": did you mean "apiServer"?',
    'plane.yaml:4:8: etcd.goGc: must be at least 10',
    'plane.yaml:4:17: unknown field "etcd.image"',
    'plane.yaml:7:5: extraSans.1: is neither a host name nor an IP address',
    'plane.yaml:8:1: backup.schedule: must be set',
    'plane.yaml:10:1: unknown field "foundation"',
    'plane.yaml:11:3: unknown field "controllerManager.goGC": did you mean "controllerManager.goGc"?',
    'plane.yaml:14:5: apiServer.extraArgs.v: must be a string or a list of strings: put numbers and true or false in quotes',
    'plane.yaml:15:5: apiServer.extraArgs.--v: is not a flag name without leading dashes, such as "audit-log-maxage"',
  ])
  expect(hints).toEqual(['vplane explain'])
})

test('counts the lines that stand above the text where its reader sees it', () => {
  const file = { path: 'spec.yaml', text: 'etcd:\n  goGC: 5\n', linesAbove: 4 }

  const { hints, message } = thrownBy(() => parseSpec({ file }))

  expect(message).toBe('spec.yaml:6:3: unknown field "etcd.goGC": did you mean "etcd.goGc"?')
  expect(hints).toEqual(['vplane explain etcd'])
})

test('says where a JSON file is wrong', () => {
  const { message } = thrownBy(() => inFile('{\n\t"etcd": {\n\t\t"goGc": "50"\n\t}\n}\n'))

  expect(message).toBe('plane.yaml:3:3: etcd.goGc: must be a number, not the string "50"')
})

test.for([
  ['- version', 'plane.yaml is not a spec: it contains a list, not fields'],
  ['version', 'plane.yaml is not a spec: it contains the string "version", not fields'],
  ['42', 'plane.yaml is not a spec: it contains the number 42, not fields'],
  ['{', 'plane.yaml:1:2: not valid YAML: flow map must end with a }'],
  ['a: 1\na: 2', 'plane.yaml:2:1: not valid YAML: map keys must be unique'],
  ['a: *missing', 'plane.yaml:1:4: not valid YAML: unresolved alias'],
  ['a: 1\n---\nb: 2', 'plane.yaml:2:1: a second YAML document begins here'],
  ['a: 1\na: 2\nb: [1\nc: 3', '\nplane.yaml:4:1: not valid YAML: '],
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

  expect(error.message).toContain('excessive alias count')
})

test('never changes what all objects have in common', () => {
  inFile('featureGates: {"__proto__": true}')
  thrownBy(() => parseSpec({ set: ['featureGates.__proto__=true'] }))
  thrownBy(() => parseSpec({ set: ['constructor.prototype.ephemeral=true'] }))

  expect(Reflect.get({}, 'ephemeral')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})
