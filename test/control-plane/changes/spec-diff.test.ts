import { expect, test } from 'vitest'
import { formatDifferences, specDifferences } from '../../../src/control-plane/changes/spec-diff.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'

test.for<[string, UserSpec, UserSpec]>([
  ['nothing', {}, {}],
  ['an empty section', {}, { apiServer: {} }],
  ['the order of fields', { version: '1', ephemeral: true }, { ephemeral: true, version: '1' }],
  [
    'the order of fields within a list',
    { authentication: { jwt: [{ a: 1, b: { c: 2, d: 3 } }] } },
    { authentication: { jwt: [{ b: { d: 3, c: 2 }, a: 1 }] } },
  ],
])('sees no difference in %s', ([, stored, wanted]) => {
  expect(specDifferences(stored, wanted)).toEqual([])
})

test.for<[UserSpec, UserSpec, string[]]>([
  [{ apiGroups: 'all' }, { apiGroups: 'lean' }, ['- apiGroups: "all"', '+ apiGroups: "lean"']],
  [{}, { version: '1.35' }, ['+ version: "1.35"']],
  [{ version: '1.35' }, {}, ['- version: "1.35"']],
  [{}, { ephemeral: false }, ['+ ephemeral: false']],
  [
    { extraSans: ['a', 'b'] },
    { extraSans: ['b', 'a'] },
    ['- extraSans: ["a","b"]', '+ extraSans: ["b","a"]'],
  ],
  [
    { apiServer: { extraArgs: { v: '2' } } },
    { apiServer: { extraArgs: { v: '4', 'event-ttl': '1h' } } },
    [
      '+ apiServer.extraArgs.event-ttl: "1h"',
      '- apiServer.extraArgs.v: "2"',
      '+ apiServer.extraArgs.v: "4"',
    ],
  ],
  [
    { apiServer: { extraArgs: { v: ['4'] } } },
    { apiServer: { extraArgs: { v: '4' } } },
    ['- apiServer.extraArgs.v: ["4"]', '+ apiServer.extraArgs.v: "4"'],
  ],
])('says how %j became %j', ([stored, wanted, lines]) => {
  expect(formatDifferences(specDifferences(stored, wanted))).toEqual(lines)
})

test('gives both values of a field, and none where there is none', () => {
  expect(specDifferences({ etcd: { goGc: 20 } }, { version: '1.36' })).toEqual([
    { path: 'etcd.goGc', stored: 20, wanted: undefined },
    { path: 'version', stored: undefined, wanted: '1.36' },
  ])
})
