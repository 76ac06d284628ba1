import { expect, test } from 'vitest'
import { toVirtualWords } from '../../../src/syncer/translate/virtual-words.ts'

const HOST = { namespace: 'plane-dev', name: 'web-x-team-x-dev', uid: '1111-a' }
const VIRTUAL = { namespace: 'team', name: 'web', uid: '2222-b' }

test.for([
  ['pods "web-x-team-x-dev" not found', 'pods "web" not found'],
  [
    'container "app" in pod "web-x-team-x-dev" is waiting to start: ContainerCreating',
    'container "app" in pod "web" is waiting to start: ContainerCreating',
  ],
  ['pod not found ("web-x-team-x-dev_plane-dev")', 'pod not found ("web_team")'],
  ['container app of web-x-team-x-dev.', 'container app of web.'],
  ['namespaces/plane-dev/pods/web-x-team-x-dev', 'namespaces/team/pods/web'],
  ['in the namespace "plane-dev"', 'in the namespace "team"'],
  ['assigned plane-dev/web-x-team-x-dev to node-1', 'assigned team/web to node-1'],
  ['object "plane-dev"/"web-x-team-x-dev"', 'object "team"/"web"'],
  ['pods/plane-dev_web-x-team-x-dev_1111-a/app', 'pods/team_web_2222-b/app'],
  ['pod=web-x-team-x-dev_plane-dev(1111-a)', 'pod=web_team(2222-b)'],
  ['image "plane-dev/app:1" or "plane-dev"', 'image "plane-dev/app:1" or "plane-dev"'],
  [String.raw`in \"plane-dev\"`, String.raw`in \"team\"`],
  ['pod 1111-a', 'pod 2222-b'],
  [String.raw`{"message":"pods \"web-x-team-x-dev\""}`, String.raw`{"message":"pods \"web\""}`],
  ['web-x-team-x-dev-2 and a-web-x-team-x-dev', 'web-x-team-x-dev-2 and a-web-x-team-x-dev'],
  ['"plane-dev-2" and plane-dev', '"plane-dev-2" and plane-dev'],
  ['web-x-team-x-dev.svc', 'web-x-team-x-dev.svc'],
] as const)('says %s as %s', ([text, expected]) => {
  expect(toVirtualWords(text, { host: HOST, virtual: VIRTUAL })).toBe(expected)
})

test('names what is beside an object, where that is known', () => {
  const names = new Map([['keys-x-team-x-dev', 'keys']])
  const nameOf = (name: string) => names.get(name)
  const text = 'secret "keys-x-team-x-dev" or keys-x-team-x-dev-2 of web-x-team-x-dev'

  expect(toVirtualWords(text, { host: HOST, virtual: VIRTUAL, nameOf })).toBe(
    'secret "keys" or keys-x-team-x-dev-2 of web',
  )
})

test('is done soon with what looks like a name for long', () => {
  const text = `${'a-'.repeat(100_000)}A ${'a.'.repeat(100_000)}A`

  expect(toVirtualWords(text, { host: HOST, virtual: VIRTUAL })).toBe(text)
})

test('takes names for nothing but names', () => {
  const host = { namespace: 'h', name: 'a.b' }
  const virtual = { namespace: 'v', name: '$&' }

  expect(toVirtualWords('axb "a.b"', { host, virtual })).toBe('axb "$&"')
})
