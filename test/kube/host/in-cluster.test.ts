import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inClusterContext } from '../../../src/kube/host/in-cluster.ts'
import { makeFolder } from './kubeconfigs.ts'

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }

test('connects to the cluster of the pod as its service account', async () => {
  await using folder = await makeFolder()
  await folder.write('token', 'abc')
  await folder.write('ca.crt', 'PEM')
  await folder.write('namespace', 'team\n')

  const context = await inClusterContext(POD, folder.path)

  expect(context).toMatchObject({ name: 'in-cluster', namespace: 'team' })
  expect(context?.cluster.text('server')).toBe('https://10.96.0.1:443')
  expect(context?.cluster.path('certificate-authority')).toBe(join(folder.path, 'ca.crt'))
  expect(context?.user?.path('tokenFile')).toBe(join(folder.path, 'token'))
})

test('works with a token alone, and an address of either kind', async () => {
  await using folder = await makeFolder()
  await folder.write('token', 'abc')

  const context = await inClusterContext(
    { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' },
    folder.path,
  )

  expect(context?.namespace).toBe('default')
  expect(context?.cluster.text('server')).toBe('https://[fd00::1]:443')
  expect(context?.cluster.path('certificate-authority')).toBeUndefined()
})

test('finds none outside of a pod', async () => {
  await using folder = await makeFolder()

  expect(await inClusterContext(POD, folder.path)).toBeUndefined()
  await folder.write('token', 'abc')
  expect(await inClusterContext({}, folder.path)).toBeUndefined()
})
