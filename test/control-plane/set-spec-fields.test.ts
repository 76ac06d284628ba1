import { expect, test } from 'vitest'
import { parseSpec, setSpecFields } from '../../src/control-plane/spec/parse-spec.ts'
import { thrownBy } from '../support/thrown-by.ts'

test.for([
  ['ephemeral=true', { ephemeral: true }],
  ['version=1.36', { version: '1.36' }],
  ['version=1.36.3', { version: '1.36.3' }],
  ['apiGroups=lean', { apiGroups: 'lean' }],
  ['etcd.goGc=30', { etcd: { goGc: 30 } }],
  ['pki.algorithm=rsa', { pki: { algorithm: 'rsa' } }],
  ['serviceRange=10.1.0.0/16', { serviceRange: '10.1.0.0/16' }],
  ['clusterDomain=test', { clusterDomain: 'test' }],
  ['featureGates.AllAlpha=false', { featureGates: { AllAlpha: false } }],
  ['extraSans=[a.test, 10.0.0.1]', { extraSans: ['a.test', '10.0.0.1'] }],
  ['etcd={goGc: 20}', { etcd: { goGc: 20 } }],
  ['labels.team=1', { labels: { team: '1' } }],
  ['labels.example.com/team=a.b', { labels: { 'example.com/team': 'a.b' } }],
  ['pods.nodeSelector.example.com/a=b', { pods: { nodeSelector: { 'example.com/a': 'b' } } }],
  ['authentication.jwt=[{a: {b: "c"}}]', { authentication: { jwt: [{ a: { b: 'c' } }] } }],
] as const)('sets %s', ([pair, spec]) => {
  expect(parseSpec({ set: [pair] })).toEqual(spec)
})

test.for([
  ['v=4', { v: '4' }],
  ['v=', { v: '' }],
  ['profiling=true', { profiling: 'true' }],
  ['max-requests-inflight=0100', { 'max-requests-inflight': '0100' }],
  ['audit-log-format=null', { 'audit-log-format': 'null' }],
  ['feature=a=b', { feature: 'a=b' }],
  ['list=[a, b]', { list: '[a, b]' }],
  ['range=1e3', { range: '1e3' }],
  ['text={"a": 1}', { text: '{"a": 1}' }],
  ['spaces= x ', { spaces: ' x ' }],
] as const)('keeps the flag %s as the text it is', ([pair, extraArgs]) => {
  expect(parseSpec({ set: [`apiServer.extraArgs.${pair}`] })).toEqual({ apiServer: { extraArgs } })
})

test('adds to what the file says, and wins over it', () => {
  const file = { path: 'plane.yaml', text: 'etcd: {goGc: 20}\nversion: "1.34"\napiServer:\n' }

  const set = ['etcd.extraArgs.snapshot-count=1', 'version=1.35', 'apiServer.goGc=90']

  expect(parseSpec({ file, set })).toEqual({
    version: '1.35',
    etcd: { goGc: 20, extraArgs: { 'snapshot-count': '1' } },
    apiServer: { goGc: 90 },
  })
})

test('takes the last of several values for one field, and lets flags win over everything', () => {
  const file = { path: 'plane.yaml', text: 'version: "1.34"\nephemeral: false' }
  const flags = { version: '1.36', ephemeral: true }

  expect(parseSpec({ set: ['etcd.goGc=20', 'etcd.goGc=30'] })).toEqual({ etcd: { goGc: 30 } })
  expect(parseSpec({ file, set: ['version=1.35'], flags })).toEqual(flags)
})

test('says which version flag is unknown as a matter of usage', () => {
  const error = thrownBy(() => parseSpec({ flags: { version: '9.9' } }))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain('"9.9"')
  expect(error.hints[0]).toContain('known versions')
})

const NO_PAIRS = '= =x version .=x a..b=x .a=x a.=x __proto__=x a.__proto__.b=x'

test.for(['', ...NO_PAIRS.split(' ')])('refuses %j as a pair', (pair) => {
  const error = thrownBy(() => parseSpec({ set: [pair] }))

  expect(error).toMatchObject({ code: 'USAGE', message: `"${pair}" is not of the form path=value` })
})

test.for([
  ['apiGroups.a=1', 'the string "lean"'],
  ['extraSans.a=1', 'a list'],
  ['etcd.goGc.a=1', 'the number 20'],
] as const)('refuses to look for fields in what has none: %s', ([pair, held]) => {
  const file = { path: 'f', text: 'apiGroups: lean\nextraSans: [a]\netcd: {goGc: 20}' }

  const error = thrownBy(() => parseSpec({ file, set: [pair] }))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain(`is ${held}, not fields`)
})

test.for([
  ['etcd.goGc=many', 'must be a number, not the string "many"'],
  ['etcd={goGc: 5}', 'etcd.goGc: must be at least 10'],
  ['goGc=20', 'unknown field "goGc"'],
  ['apiSever.goGc=20', 'unknown field "apiSever": did you mean "apiServer"?'],
  ['apiServer.goGC=20', 'unknown field "apiServer.goGC": did you mean "apiServer.goGc"?'],
  ['apiServer.extraArgs={v: 4}', 'apiServer.extraArgs.v: must be a string'],
  ['backup.store=s3://bucket/planes', 'backup.schedule: must be set'],
  ['labels.vplane.dev/name=x', 'is reserved for vplane'],
  ['labels.app.kubernetes.io/managed-by=x', 'is reserved for vplane'],
  ['labels.-a=x', 'is not a valid label name'],
  ['labels.team=the shop', 'is not a valid label value'],
  ['labels={team: 1}', 'labels.team: must be a string: put numbers and true or false in quotes'],
  ['constructor.prototype.x=1', 'unknown field "constructor"'],
  ['toString=1', 'unknown field "toString"'],
  ['extraSans.length=1', 'extraSans: must be a list'],
] as const)('checks what %s makes of the spec', ([pair, reason]) => {
  const error = thrownBy(() => parseSpec({ set: [pair] }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(`"${pair}": ${reason}`)
})

test('says of each wrong field whether the file or a pair sets it', () => {
  const file = { path: 'plane.yaml', text: 'etcd:\n  goGc: 5\n  foo: 1\nidle: soon\n' }
  const set = ['apiServer.goGc=1', 'etcd.goGc=2', 'etcd.goGc=3']

  const { message } = thrownBy(() => parseSpec({ file, set }))

  expect(message.split('\n').toSorted()).toEqual([
    '"apiServer.goGc=1": must be at least 10',
    '"etcd.goGc=3": must be at least 10',
    'plane.yaml:3:3: unknown field "etcd.foo"',
    'plane.yaml:4:1: idle: is not a duration of a second or more, such as "30m"',
  ])
})

test.for([
  ['apiSever.goGc-', 'unknown field "apiSever": did you mean "apiServer"?'],
  ['apiServer.goGC-', 'unknown field "apiServer.goGC": did you mean "apiServer.goGc"?'],
  ['apiGroups.x-', 'unknown field "apiGroups.x"'],
] as const)('refuses to remove what no spec has: %s', ([pair, reason]) => {
  const error = thrownBy(() => setSpecFields({}, [pair]))

  expect(error).toMatchObject({ code: 'INVALID_SPEC', message: `"${pair}": ${reason}` })
})

test.for(['etcd.goGc-', 'apiServer.extraArgs.v-', 'audit.policy.rules-', 'encryption.provider-'])(
  'removes what is not set, which changes nothing: %s',
  (pair) => {
    expect(setSpecFields({ ephemeral: true }, [pair])).toEqual({ ephemeral: true })
  },
)

test('removes a label whose name contains points', () => {
  const labels = { a: 'b', 'example.com/tier': 'web' }

  expect(setSpecFields({ labels }, ['labels.example.com/tier-'])).toEqual({ labels: { a: 'b' } })
})

test('names the pair whose value is not YAML', () => {
  const { message } = thrownBy(() => parseSpec({ set: ['extraSans=[a'] }))

  const why = 'Flow sequence must end with a ] at line 1, column 3'
  expect(message).toBe(`cannot read "extraSans": ${why}`)
})
