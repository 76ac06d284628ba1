import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { createNamespace } from '../../../src/library/handle/create-namespace.ts'

/** An API that makes what a namespace needs after so many looks. */
function apiOf({ looks }: { looks: number }) {
  const created: KubeObject[] = []
  const asked: string[] = []
  return {
    created,
    asked,
    create: (path: string, object: KubeObject) => {
      asked.push(`create ${path}`)
      created.push(object)
      const name = `${object.metadata.generateName}x7`
      return Promise.resolve({ ...object, metadata: { name } })
    },
    get: (path: string) => {
      asked.push(path)
      const isThere = asked.filter((other) => other === path).length > looks
      return Promise.resolve(isThere ? { apiVersion: 'v1', kind: 'Any', metadata: {} } : undefined)
    },
  }
}

test('lets the server find a name, and waits for what a namespace needs', async () => {
  const api = apiOf({ looks: 2 })

  const name = await createNamespace(api, { prefix: 'mine' })

  expect(name).toBe('mine-x7')
  expect(api.created).toMatchObject([{ kind: 'Namespace', metadata: { generateName: 'mine-' } }])
  const looks = (path: string) => api.asked.filter((asked) => asked === path).length
  expect(looks('/api/v1/namespaces/mine-x7/serviceaccounts/default')).toBe(3)
  expect(looks('/api/v1/namespaces/mine-x7/configmaps/kube-root-ca.crt')).toBe(3)
})

test('begins names with "test" unless told otherwise', async () => {
  expect(await createNamespace(apiOf({ looks: 0 }))).toBe('test-x7')
})

test('stops when it is aborted', async () => {
  const creating = createNamespace(apiOf({ looks: Number.POSITIVE_INFINITY }), {
    signal: AbortSignal.timeout(20),
  })

  await expect(creating).rejects.toMatchObject({ code: 'ABORTED' })
})
