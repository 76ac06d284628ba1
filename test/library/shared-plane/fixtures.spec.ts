import { expect } from 'vitest'
import { planeTest } from 'vplane/vitest'
import { tell } from './seen.ts'

const test = planeTest().extend('map', ({ namespace }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept', namespace },
}))

test('gives a plane and a namespace', async ({ map, namespace, plane }) => {
  tell({ file: 'fixtures', plane: plane.name, namespace })

  await plane.api.create(`/api/v1/namespaces/${namespace}/configmaps`, map)
})

test('gives all tests of a file the same namespace', async ({ namespace, plane }) => {
  tell({ file: 'fixtures', plane: plane.name, namespace })

  expect(await plane.api.get(`/api/v1/namespaces/${namespace}`)).toMatchObject({
    kind: 'Namespace',
  })
})

test('makes users in test files', async ({ namespace, plane }) => {
  const { name, kubeconfig } = await plane.addUser({ name: 'jane' })

  expect(name).toBe('jane')
  expect(kubeconfig).toContain(plane.server)
  expect(namespace).not.toBe('default')
})
