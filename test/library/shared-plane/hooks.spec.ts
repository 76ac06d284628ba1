import { afterAll, expect, inject, test } from 'vitest'
import { useNamespace, usePlane } from 'vplane/vitest'
import { tell } from './seen.ts'

const plane = await usePlane()
const namespace = await useNamespace()

afterAll(() => {
  tell({ file: 'hooks', plane: plane.name, namespace })
})

test('gives a plane and a namespace without fixtures', async () => {
  expect(await plane.api.get(`/api/v1/namespaces/${namespace}`)).toMatchObject({
    kind: 'Namespace',
  })
})

test('provides where the plane is', () => {
  const provided = inject('vplane')

  expect(provided).toMatchObject({ name: plane.name, server: plane.server })
  expect(provided.kubeconfig).toContain(plane.server)
})
