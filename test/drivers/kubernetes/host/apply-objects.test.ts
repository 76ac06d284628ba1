import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { applyObjects } from '../../../../src/drivers/kubernetes/host/apply-objects.ts'
import type { Manifest } from '../../../../src/manifests/manifest.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()

test('applies objects to their own paths and returns them as they are stored, in order', async () => {
  const api = new MemoryHostApi()

  const stored = await applyObjects(api, [configMap('a'), configMap('b')], signal)

  expect(stored.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  expect(stored.every(({ metadata }) => metadata.uid !== undefined)).toBe(true)
  expect([...api.objects.keys()]).toEqual([
    '/api/v1/namespaces/team-a/configmaps/a',
    '/api/v1/namespaces/team-a/configmaps/b',
  ])
})

test('takes over no field of others', async () => {
  const forces: unknown[] = []
  const api = {
    apply: (_path: string, object: Manifest, options: { force?: boolean } = {}) => {
      forces.push(options.force)
      return Promise.resolve(object)
    },
  }

  await applyObjects(api, [configMap('a')], signal)

  expect(forces).toEqual([false])
})

test('names the object that the host refuses, with the message of the host', async () => {
  const conflict = new VplaneError('CONFLICT', '"kubectl" manages .data', { hints: ['a hint'] })
  const api = new MemoryHostApi({
    onRequest: ({ path }) => {
      if (path.endsWith('/b')) {
        throw conflict
      }
    },
  })

  const error = await rejectionOf(applyObjects(api, [configMap('a'), configMap('b')], signal))

  expect(error).toMatchObject({
    code: 'CONFLICT',
    message: 'cannot apply ConfigMap "b": "kubectl" manages .data',
    hints: ['a hint'],
    cause: conflict,
  })
  expect(api.objects.size).toBe(1)
})

test('reports all failures together', async () => {
  const api = new MemoryHostApi({
    onRequest: ({ path }) => {
      throw refusal(403, `${path.slice(-1)} is forbidden`)
    },
  })

  const error = await rejectionOf(applyObjects(api, [configMap('a'), configMap('b')], signal))

  expect(error.code).toBe('FAILED')
  expect(error.message.split('\n')).toEqual([
    '2 objects failed:',
    '  cannot apply ConfigMap "a": a is forbidden',
    '  cannot apply ConfigMap "b": b is forbidden',
  ])
})

test('throws the reason of the signal when it fires', async () => {
  const stop = new AbortController()
  const api = new MemoryHostApi({ onRequest: () => stop.abort(new Error('stopped')) })

  const applying = applyObjects(api, [configMap('a'), configMap('b')], stop.signal)

  await expect(applying).rejects.toThrow('stopped')
})

test('binds a role only after it is created', async () => {
  const done: string[] = []
  const api = {
    apply: async (path: string, object: Manifest) => {
      await setImmediate()
      done.push(path.slice(path.lastIndexOf('/') + 1))
      return object
    },
  }
  const rights = { apiVersion: 'rbac.authorization.k8s.io/v1' }
  const binding = { ...configMap('binding'), ...rights, kind: 'RoleBinding' }
  const role = { ...configMap('role'), ...rights, kind: 'Role' }

  await applyObjects(api, [binding, role], signal)

  expect(done).toEqual(['role', 'binding'])
})

function configMap(name: string): Manifest {
  const metadata = { name, namespace: 'team-a', labels: {} }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata }
}
