import { expect, test } from 'vitest'
import { needsKeeper } from '../../../../src/control-plane/spec/needs-keeper.ts'
import { parseSpec } from '../../../../src/control-plane/spec/parse-spec.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'

type Entry = NonNullable<UserSpec['credentials']>[string]

const parsed = (...set: string[]) => parseSpec({ set })

test('fills in the defaults of an entry', () => {
  const spec = parsed('credentials.flux.user=flux')

  expect(resolveSpec(spec, 'kubernetes').credentials).toEqual({
    flux: {
      secret: 'flux',
      format: 'kubeconfig',
      user: 'flux',
      address: 'in-cluster',
      lifetime: '24h',
    },
  })
  expect(needsKeeper(spec)).toBe(true)
})

test('needs no keeper without entries', () => {
  const spec: UserSpec = { credentials: {} }

  expect(resolveSpec(spec, 'kubernetes')).not.toHaveProperty('credentials')
  expect(resolveSpec(spec, 'kubernetes').host).not.toHaveProperty('keeper')
})

test('is refused for planes on this machine', () => {
  expect(() => resolveSpec(parsed('credentials.flux.user=flux'), 'local')).toThrow(
    'the local driver does not support "credentials"',
  )
})

test.for([
  [{}, 'needs either "user" or "serviceAccount"'],
  [{ user: 'a', serviceAccount: 'a/b' }, 'needs either "user" or "serviceAccount"'],
  [{ serviceAccount: 'a/b', groups: ['c'] }, '"groups" are those of a "user"'],
  [{ user: 'a', groups: ['system:masters'] }, 'is reserved for Kubernetes'],
  [{ user: 'system:kube-controller-manager' }, 'is reserved for Kubernetes'],
  [{ serviceAccount: 'kube-system/namespace-controller' }, 'is reserved for Kubernetes'],
  [{ serviceAccount: 'flux' }, 'is not of the form "NAMESPACE/NAME"'],
  [{ user: 'a\nb' }, 'has control characters'],
  [{ user: 'a', secret: 'vplane-dev-ca' }, 'is reserved for vplane'],
  [{ user: 'a', clusterRole: '../x' }, 'is not the name of a ClusterRole'],
  [{ user: 'a', lifetime: '9m' }, 'is not a duration from "10m"'],
  [{ user: 'a', lifetime: '500h' }, 'is not a duration from "10m"'],
] satisfies Array<[Entry, string]>)('refuses %j', ([entry, reason]) => {
  expect(() => parsed(`credentials.x=${JSON.stringify(entry)}`)).toThrow(
    expect.objectContaining({ code: 'INVALID_SPEC', message: expect.stringContaining(reason) }),
  )
})

test.for([
  [{ expose: { type: 'node-port' } }, undefined],
  [{ expose: { type: 'none' } }, 'needs "expose"'],
  [{}, 'needs "expose"'],
] satisfies Array<[UserSpec, string | undefined]>)(
  'has the address outside of the host cluster only with one: %j',
  ([spec, reason]) => {
    const credentials = {
      flux: { user: 'flux', address: 'exposed' },
    } satisfies UserSpec['credentials']
    const resolve = () => resolveSpec({ ...spec, credentials }, 'kubernetes')

    if (reason === undefined) {
      expect(resolve).not.toThrow()
    } else {
      expect(resolve).toThrow(reason)
    }
  },
)

test('refuses two entries for one Secret', () => {
  const credentials = { a: { user: 'a', secret: 's' }, b: { user: 'b', secret: 's' } }

  expect(() => resolveSpec({ credentials }, 'kubernetes')).toThrow(
    '"credentials.b" names the Secret "s" of another entry',
  )
  const elsewhere = { ...credentials, b: { ...credentials.b, namespace: 'argocd' } }
  expect(() => resolveSpec({ credentials: elsewhere }, 'kubernetes')).not.toThrow()
})
