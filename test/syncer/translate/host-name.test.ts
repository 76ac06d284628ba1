import { expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../src/control-plane/plane/plane.ts'
import { objectName } from '../../../src/manifests/object-names.ts'
import { hostNameOf, parseHostName } from '../../../src/syncer/translate/host-name.ts'
import { SCOPE } from './some-objects.ts'

test('joins name, namespace and plane where that is clear', () => {
  expect(hostNameOf(SCOPE, { name: 'web', namespace: 'default' })).toBe('web-x-default-x-dev')
})

test.for([
  ['a part with the separator', 'web-x-default', 'shop'],
  ['a part that begins like one', 'x-web', 'shop'],
  ['a part that ends like one', 'web', 'shop-x'],
  ['a dot', 'kube-root-ca.crt', 'shop'],
  ['a name of a component', 'vplane-dev-etcd', 'shop'],
  ['what is too long', 'w'.repeat(60), 'shop'],
  ['what is no name', '../../secrets/vplane-dev-pki', 'shop'],
] as const)('hashes %s', ([, name, namespace]) => {
  expect(hostNameOf(SCOPE, { name, namespace })).toMatch(/^[a-z][a-z0-9-]{0,41}-[0-9a-f]{20}$/)
})

test.for([
  ['a short one', 'web-x-default-x-dev', { name: 'web', namespace: 'default' }],
  ['one of another plane', 'web-x-default-x-prod', undefined],
  ['one with a hash', `kube-root-ca-crt-shop-dev-${'0'.repeat(20)}`, undefined],
  ['one that stands for several', 'a-x-b-x-c-x-dev', undefined],
  ['a word', 'web', undefined],
] as const)('reads the virtual object from a host name: %s', ([, hostName, virtual]) => {
  expect(parseHostName(SCOPE, hostName)).toEqual(virtual)
})

test('keeps a hashed name readable', () => {
  expect(hostNameOf(SCOPE, { name: 'kube-root-ca.crt', namespace: 'shop' })).toMatch(
    /^kube-root-ca-crt-shop-dev-[0-9a-f]{20}$/,
  )
})

test('tells objects outside of namespaces of two planes of one name apart', () => {
  const elsewhere = { ...SCOPE, host: { namespace: 'team-b' } }

  expect(hostNameOf(SCOPE, { name: 'high' })).not.toBe(hostNameOf(elsewhere, { name: 'high' }))
})

test('never gives two objects one name, nor a component’s, and always a valid one', () => {
  const random = randomNumbers(20_261_122)
  const seen = new Map<string, string>()
  const wrong: string[] = []
  for (let round = 0; round < 15_000; round += 1) {
    const [name, namespace, plane] = [part(random), part(random), part(random)]
    const hostName = hostNameOf({ ...SCOPE, plane }, { name, namespace })
    const key = JSON.stringify([name, namespace, plane])
    const parsed = parseHostName({ ...SCOPE, plane }, hostName)
    if (parsed !== undefined && (parsed.name !== name || parsed.namespace !== namespace)) {
      wrong.push(`${hostName} is read as ${JSON.stringify(parsed)}`)
    }
    const isValid = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(hostName)
    if (!isValid || hostName.startsWith('vplane-') || (seen.get(hostName) ?? key) !== key) {
      wrong.push(`${hostName}: ${key} and ${seen.get(hostName)}`)
    }
    seen.set(hostName, key)
  }

  expect(wrong).toEqual([])
  expect(seen.size).toBeGreaterThan(5000)
})

test('gives what begins with a letter a name that begins with one, as Services must', () => {
  const random = randomNumbers(7)
  const names = Array.from({ length: 2000 }, () =>
    hostNameOf(SCOPE, { name: `a${part(random)}`, namespace: part(random) }),
  )

  expect(names.filter((name) => !/^[a-z]/.test(name))).toEqual([])
})

test('leaves a plane whose name looks like a pair of names its own components', () => {
  const name = 'vplane-foo'
  const taken = COMPONENT_NAMES.map((suffix) => objectName('foo-x-b-x-dev', suffix))

  for (const suffix of COMPONENT_NAMES) {
    const scope = { ...SCOPE, plane: `dev-${suffix}` }
    expect(taken).not.toContain(hostNameOf(scope, { name, namespace: 'b' }))
  }
})

/** Parts made of few words, so that they meet often. */
const WORDS = ['a', 'x', 'b', 'xx', 'vplane', 'etcd', '1', '', 'dev', 'longer-than-most-words-x']

function part(random: () => number): string {
  const words = Array.from({ length: 1 + (random() % 4) }, () => WORDS[random() % WORDS.length])
  return words.join(random() % 9 === 0 ? '.' : '-')
}

/** Numbers that look random and are the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
