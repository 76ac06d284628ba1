import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import { kubeConfigOf } from '../../src/library/client-node.ts'

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: plane
clusters: [{ name: plane, cluster: { server: 'https://127.0.0.1:20443' } }]
contexts: [{ name: plane, context: { cluster: plane, user: admin } }]
users: [{ name: admin, user: { client-certificate-data: Y2VydA==, client-key-data: a2V5 } }]
`

test('has the values of the kubeconfig', () => {
  const config = kubeConfigOf({ kubeconfig })

  expect(config).toBeInstanceOf(KubeConfig)
  expect(config.getCurrentContext()).toBe('plane')
  expect(config.getCurrentCluster()?.server).toBe('https://127.0.0.1:20443')
  expect(config.getCurrentUser()?.certData).toBe('Y2VydA==')
})

test('uses the same connections for every request, and shares none with another one', async () => {
  const config = kubeConfigOf({ kubeconfig })

  const [first, second] = await Promise.all([dispatcherOf(config), dispatcherOf(config)])
  const other = await dispatcherOf(kubeConfigOf({ kubeconfig }))

  expect(first).toBeDefined()
  expect(second).toBe(first)
  expect(other).not.toBe(first)
})

/** What carries a request of the client. */
async function dispatcherOf(config: KubeConfig): Promise<unknown> {
  const context = new RequestContext('https://127.0.0.1:20443/version', HttpMethod.GET)
  await config.applySecurityAuthentication(context)
  return context.getDispatcher()
}
